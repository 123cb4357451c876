//! The guides, as they stand in `docs/`. They are here so that their examples compile and run with the tests.
//!
//! | guide | for whom |
//! |---|---|
//! | [`start`] | who has ten minutes |
//! | [`handlers`] | who writes handlers |
//! | [`testing`] | who tests them |
//! | [`tuning`] | who wants to know what can be set, and what need not be |
//! | [`errors`] | who met one |

// The paths leave the crate: before it is published, the guides have to be copied into its package.
#[doc = include_str!("../../../docs/errors.md")]
pub mod errors {}
#[doc = include_str!("../../../docs/handlers.md")]
pub mod handlers {}
#[doc = include_str!("../../../docs/start.md")]
pub mod start {}
#[doc = include_str!("../../../docs/testing.md")]
pub mod testing {}
#[doc = include_str!("../../../docs/tuning.md")]
pub mod tuning {}
