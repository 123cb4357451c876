//! The guides, as they stand in `docs/`. They are here so that their examples compile and run with the tests.
//!
//! | guide | for whom |
//! |---|---|
//! | [`start`] | who has ten minutes |
//! | [`handlers`] | who writes handlers |
//! | [`operating`] | who is called when tasks do not run |
//! | [`testing`] | who tests them |
//! | [`tuning`] | who wants to know what can be set, and what need not be |
//! | [`errors`] | who met one |

// The paths leave the crate: before it is published, the guides have to be copied into its package.
//
// Of two definitions of a link the first one counts. So the lines before a guide lead to the pages here, and those
// at its end to the files beside it.

/// [tuning]: crate::guides::tuning
#[doc = include_str!("../../../docs/errors.md")]
pub mod errors {}
/// [operating]: crate::guides::operating
/// [testing-crash]: crate::guides::testing#crash-at-every-point
#[doc = include_str!("../../../docs/handlers.md")]
pub mod handlers {}
/// [errors]: crate::guides::errors
/// [tuning-postgresql]: crate::guides::tuning#postgresql
#[doc = include_str!("../../../docs/operating.md")]
pub mod operating {}
/// [handlers]: crate::guides::handlers
/// [handlers-policies]: crate::guides::handlers#policies
/// [operating]: crate::guides::operating
/// [testing]: crate::guides::testing
/// [tuning]: crate::guides::tuning
/// [tuning-mysql]: crate::guides::tuning#mariadb-and-mysql
/// [tuning-postgresql]: crate::guides::tuning#postgresql
/// [errors]: crate::guides::errors
#[doc = include_str!("../../../docs/start.md")]
pub mod start {}
#[doc = include_str!("../../../docs/testing.md")]
pub mod testing {}
/// [handlers-being-told-to-stop]: crate::guides::handlers#being-told-to-stop
/// [handlers-limits]: crate::guides::handlers#limits
/// [handlers-policies]: crate::guides::handlers#policies
#[doc = include_str!("../../../docs/tuning.md")]
pub mod tuning {}
