//! Which system calls a command may make: a program for the kernel that looks a number up by halving.
//!
//! What is refused leads out of the room, into other processes, or into parts of the kernel that no ordinary program
//! needs. Must not depend on anything but the processor and whether there is a network.

use libc::{BPF_ABS, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W};
use std::collections::BTreeMap;

/// Where the kernel puts what it asks the program about.
const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;
const FIRST_ARGUMENT_AT: u32 = 16;
const SECOND_ARGUMENT_AT: u32 = 24;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_003e);
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_00b7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCHITECTURE: Option<u32> = None;

/// Numbers from here on are a second way to the same calls on x86-64.
const OTHER_NUMBERS: u32 = 0x4000_0000;

/// What `clone` may not be asked for: a namespace of any kind.
const NEW_NAMESPACE: u32 = 0x7e02_0000;
/// Requests to a terminal that put words into somebody else's mouth.
const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541c;

/// What is said about one system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// "Not permitted".
    Refuse,
    /// "There is no such call": those who ask have another way.
    Unknown,
    /// Only without these bits in the first argument.
    WithoutBits(u32),
    /// Only with one of these as the first argument.
    FirstIs(&'static [u32]),
    /// Not with one of these as the second argument.
    SecondIsNot(&'static [u32]),
}

/// Which kinds of sockets may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sockets {
    /// None at all: there is no network of the room's own.
    None,
    /// Those of a network that has nobody but the room in it.
    Inside,
    /// Those of the machine's network, and of files and kernel.
    Outside,
    /// The same, but none of files: where nothing keeps them from other programs.
    OutsideWithoutFiles,
}

impl Sockets {
    fn families(self) -> &'static [u32] {
        match self {
            Sockets::None => &[],
            Sockets::Inside | Sockets::OutsideWithoutFiles => &[libc::AF_INET as u32, libc::AF_INET6 as u32],
            Sockets::Outside => &[libc::AF_INET as u32, libc::AF_INET6 as u32, libc::AF_UNIX as u32, libc::AF_NETLINK as u32],
        }
    }
}

/// Calls that nobody in a room may make.
const REFUSED: &[libc::c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    // Ways around this very filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    // Files by number instead of by name, and news of everybody's files.
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    // Programs, keys and counters inside the kernel.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // The machine itself.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
];

fn rules(sockets: Sockets) -> BTreeMap<u32, Rule> {
    let refused = REFUSED.iter().map(|number| (*number, Rule::Refuse));
    let by_argument = [
        (libc::SYS_clone, Rule::WithoutBits(NEW_NAMESPACE)),
        // What it is asked for lies in memory, where no filter can look.
        (libc::SYS_clone3, Rule::Unknown),
        (libc::SYS_socket, Rule::FirstIs(sockets.families())),
        (libc::SYS_ioctl, Rule::SecondIsNot(&[TIOCSTI, TIOCLINUX])),
    ];
    refused.chain(by_argument).filter_map(|(number, rule)| Some((u32::try_from(number).ok()?, rule))).collect()
}

/// The program; none for a processor whose numbers are not known.
pub(super) fn program(sockets: Sockets) -> Option<Vec<libc::sock_filter>> {
    let rules: Vec<(u32, Rule)> = rules(sockets).into_iter().collect();
    let mut program = vec![
        load(ARCHITECTURE_AT),
        jump(BPF_JEQ, ARCHITECTURE?, 1, 0),
        // A program of another processor's numbers would be asked about by the wrong list.
        answer(libc::SECCOMP_RET_KILL_PROCESS),
        load(NUMBER_AT),
    ];
    if cfg!(target_arch = "x86_64") {
        program.extend([jump(BPF_JGE, OTHER_NUMBERS, 0, 1), answer(refusal(libc::EPERM))]);
    }
    program.extend(search(&rules));
    Some(program)
}

fn search(rules: &[(u32, Rule)]) -> Vec<libc::sock_filter> {
    match rules {
        [] => vec![answer(libc::SECCOMP_RET_ALLOW)],
        [(number, rule)] => {
            let said = judge(*rule);
            let mut leaf = vec![jump(BPF_JEQ, *number, 0, distance(said.len()))];
            leaf.extend(said);
            leaf.push(answer(libc::SECCOMP_RET_ALLOW));
            leaf
        }
        several => {
            let (low, high) = several.split_at(several.len() / 2);
            let (low, first_high) = (search(low), high.first().map_or(0, |(number, _)| *number));
            let mut both = vec![jump(BPF_JGE, first_high, distance(low.len()), 0)];
            both.extend(low);
            both.extend(search(high));
            both
        }
    }
}

/// What follows when the number is the one of the rule.
fn judge(rule: Rule) -> Vec<libc::sock_filter> {
    match rule {
        Rule::Refuse => vec![answer(refusal(libc::EPERM))],
        Rule::Unknown => vec![answer(refusal(libc::ENOSYS))],
        Rule::WithoutBits(bits) => {
            vec![load(FIRST_ARGUMENT_AT), jump(BPF_JSET, bits, 0, 1), answer(refusal(libc::EPERM)), answer(libc::SECCOMP_RET_ALLOW)]
        }
        Rule::FirstIs(values) => among(FIRST_ARGUMENT_AT, values, libc::SECCOMP_RET_ALLOW, refusal(libc::EPERM)),
        Rule::SecondIsNot(values) => among(SECOND_ARGUMENT_AT, values, refusal(libc::EPERM), libc::SECCOMP_RET_ALLOW),
    }
}

/// One answer if the argument is one of these, else the other. The kernel looks at the lower half of these arguments
/// only, so this does too.
fn among(argument: u32, values: &[u32], yes: u32, no: u32) -> Vec<libc::sock_filter> {
    let mut said = vec![load(argument)];
    for value in values {
        said.extend([jump(BPF_JEQ, *value, 0, 1), answer(yes)]);
    }
    said.push(answer(no));
    said
}

fn refusal(errno: i32) -> u32 {
    libc::SECCOMP_RET_ERRNO | (errno.cast_unsigned() & libc::SECCOMP_RET_DATA)
}

fn load(at: u32) -> libc::sock_filter {
    instruction(BPF_LD | BPF_W | BPF_ABS, at, 0, 0)
}

fn jump(test: u32, value: u32, if_true: u8, if_false: u8) -> libc::sock_filter {
    instruction(BPF_JMP | test | BPF_K, value, if_true, if_false)
}

fn answer(action: u32) -> libc::sock_filter {
    instruction(BPF_RET | BPF_K, action, 0, 0)
}

fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt, jf, k }
}

/// The list is far from so long that half of it would be out of reach; a test holds every answer.
fn distance(instructions: usize) -> u8 {
    u8::try_from(instructions).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the kernel would do with the program.
    fn ask(program: &[libc::sock_filter], architecture: u32, number: u32, arguments: [u64; 2]) -> u32 {
        let word = |at: u32| match at {
            NUMBER_AT => number,
            ARCHITECTURE_AT => architecture,
            FIRST_ARGUMENT_AT => arguments[0] as u32,
            SECOND_ARGUMENT_AT => arguments[1] as u32,
            other => panic!("nothing is at {other}"),
        };
        let (mut at, mut held, mut steps) = (0, 0, 0);
        loop {
            steps += 1;
            assert!(steps < 24, "a number is found by halving");
            let libc::sock_filter { code, jt, jf, k } = program[at];
            let code = u32::from(code);
            at += 1;
            if code == BPF_RET | BPF_K {
                return k;
            } else if code == BPF_LD | BPF_W | BPF_ABS {
                held = word(k);
            } else {
                let is_true = match code - BPF_JMP - BPF_K {
                    BPF_JEQ => held == k,
                    BPF_JGE => held >= k,
                    BPF_JSET => held & k != 0,
                    other => panic!("no jump has {other}"),
                };
                at += usize::from(if is_true { jt } else { jf });
            }
        }
    }

    const ALL: [Sockets; 4] = [Sockets::None, Sockets::Inside, Sockets::Outside, Sockets::OutsideWithoutFiles];

    #[test]
    fn every_number_gets_the_answer_of_its_rule_and_no_other() {
        let here = ARCHITECTURE.unwrap();
        for sockets in ALL {
            let (program, rules) = (program(sockets).unwrap(), rules(sockets));
            assert_eq!(rules.len(), REFUSED.len() + 4, "each call has one rule");
            for number in 0..1_000 {
                let plain = ask(&program, here, number, [0; 2]);
                let expected = match rules.get(&number) {
                    Some(Rule::Refuse) => refusal(libc::EPERM),
                    Some(Rule::Unknown) => refusal(libc::ENOSYS),
                    // The family 0 is none.
                    Some(Rule::FirstIs(_)) => refusal(libc::EPERM),
                    Some(Rule::WithoutBits(_) | Rule::SecondIsNot(_)) | None => libc::SECCOMP_RET_ALLOW,
                };
                assert_eq!(plain, expected, "{number}");
            }
        }
    }

    #[test]
    fn arguments_are_looked_at() {
        let here = ARCHITECTURE.unwrap();
        let asked = |sockets, number: libc::c_long, arguments| {
            ask(&program(sockets).unwrap(), here, number as u32, arguments) == libc::SECCOMP_RET_ALLOW
        };
        let family = |sockets| {
            let made = |family: i32| asked(sockets, libc::SYS_socket, [family.cast_unsigned().into(), 1]);
            [libc::AF_INET, libc::AF_INET6, libc::AF_UNIX, libc::AF_NETLINK, libc::AF_PACKET, libc::AF_VSOCK, libc::AF_ALG].map(made)
        };
        assert_eq!(family(Sockets::None), [false; 7]);
        assert_eq!(family(Sockets::Inside), [true, true, false, false, false, false, false]);
        assert_eq!(family(Sockets::Outside), [true, true, true, true, false, false, false]);
        assert_eq!(family(Sockets::OutsideWithoutFiles), family(Sockets::Inside));
        let flags = [
            libc::CLONE_NEWUSER,
            libc::CLONE_NEWNS,
            libc::CLONE_NEWPID,
            libc::CLONE_NEWNET,
            libc::CLONE_NEWIPC,
            libc::CLONE_NEWUTS,
            libc::CLONE_NEWCGROUP,
        ];
        for flag in flags {
            assert!(!asked(Sockets::Inside, libc::SYS_clone, [(flag | libc::SIGCHLD).cast_unsigned().into(), 0]));
        }
        let thread = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_THREAD | libc::CLONE_SIGHAND | libc::CLONE_SETTLS | libc::SIGCHLD;
        assert!(asked(Sockets::Inside, libc::SYS_clone, [thread.cast_unsigned().into(), 0]));
        assert!(!asked(Sockets::Inside, libc::SYS_ioctl, [0, TIOCSTI.into()]));
        // The kernel takes the lower half of a request, whatever stands above it.
        assert!(!asked(Sockets::Inside, libc::SYS_ioctl, [0, u64::from(TIOCSTI) | 1 << 40]));
        assert!(asked(Sockets::Inside, libc::SYS_ioctl, [0, libc::TCGETS]));
    }

    #[test]
    fn another_numbering_is_no_way_around() {
        let program = program(Sockets::Inside).unwrap();
        let i386 = 0x4000_0003;
        assert_eq!(ask(&program, i386, 26, [0; 2]), libc::SECCOMP_RET_KILL_PROCESS);
        if cfg!(target_arch = "x86_64") {
            let ptrace = libc::SYS_ptrace as u32;
            assert_eq!(ask(&program, ARCHITECTURE.unwrap(), OTHER_NUMBERS | ptrace, [0; 2]), refusal(libc::EPERM));
        }
    }
}
