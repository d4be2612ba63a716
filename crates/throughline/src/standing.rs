//! Rules that count for good, as people look at them and take them back.

use crate::Throughline;
use crate::send::SayError;
use agent::standing::{Said, Standing};
use contract::body::Principal;
use contract::id::Key;
use contract::rule::Rule;
use runtime::standing;

impl Throughline {
    /// What people allowed for good, in any folder.
    pub async fn standing_rules(&self) -> Result<Standing, SayError> {
        Ok(standing::state(self.log()).await?)
    }

    /// Makes a rule count no more in this folder, named as sessions name it.
    pub async fn remove_standing(&self, rule: Rule, folder: String, by: Principal) -> Result<(), SayError> {
        let known = self.standing_rules().await?;
        // Said once of the rule as it is now: added again later, it can be taken back again.
        let key = Key(format!("remove/{}/{folder}/{rule}", known.version));
        standing::say(&self.ports, &key, Said::Remove { rule, folder }, by).await?;
        Ok(())
    }
}
