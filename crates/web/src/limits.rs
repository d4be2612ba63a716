//! Every limit of a connection, with its unit and reason.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Milliseconds until a connection stands, names and TLS included.
    pub connect_ms_max: u64,
    /// Milliseconds until the head of the answer: a local model may first load itself and read the whole request.
    pub head_ms_max: u64,
    /// Milliseconds without a byte inside an answer; providers that think for long send comments meanwhile.
    pub silent_ms_max: u64,
    /// Bytes of one answer; a reply has far fewer, so more is a loop somewhere.
    pub body_bytes_max: usize,
}

impl Default for HttpLimits {
    fn default() -> HttpLimits {
        HttpLimits { connect_ms_max: 15_000, head_ms_max: 600_000, silent_ms_max: 300_000, body_bytes_max: 64 * 1024 * 1024 }
    }
}

/// What a visit of an address that a stranger wrote may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitLimits {
    /// Milliseconds until a connection stands, names and TLS included.
    pub connect_ms_max: u64,
    /// Milliseconds until the head of an answer.
    pub head_ms_max: u64,
    /// Milliseconds without a byte inside an answer.
    pub silent_ms_max: u64,
    /// Milliseconds of everything together, redirects too: who sends a byte now and then is not waited for.
    pub total_ms_max: u64,
    /// Bytes that are read of a page; what comes after them is left.
    pub body_bytes_max: usize,
    /// Redirects that are followed; more is a loop.
    pub redirects_max: usize,
}

impl Default for VisitLimits {
    fn default() -> VisitLimits {
        VisitLimits {
            connect_ms_max: 10_000,
            head_ms_max: 20_000,
            silent_ms_max: 15_000,
            total_ms_max: 60_000,
            body_bytes_max: 4 * 1024 * 1024,
            redirects_max: 5,
        }
    }
}

/// Addresses of one name that are tried; one that has more has them for others.
pub const ADDRESSES_TRIED_MAX: usize = 4;
/// Bytes of all headers together; the library also sizes its reads by it.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Headers of one answer; providers behind several gateways send about forty.
pub const HEADERS_MAX: usize = 200;
/// Open connections to one server that wait for the next request.
pub const IDLE_CONNECTIONS_MAX: usize = 8;
/// Milliseconds that such a connection is kept; most servers close theirs sooner, and that is noticed.
pub const IDLE_CONNECTION_MS_MAX: u64 = 90_000;
/// Milliseconds that the end of an answer may lag behind its last event before its connection is not worth keeping.
pub const END_MS_MAX: u64 = 1_000;
