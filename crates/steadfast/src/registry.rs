//! Handlers that were registered where they are written, and what a program changes about all of them when it starts.

use crate::builder::Builder;
use crate::error::Result;
use crate::handler::Handler;
use crate::handlers::Handlers;
use crate::run::Run;

/// What the attribute expands to names it.
#[doc(hidden)]
pub use inventory;

/// A handler as [`task`](macro@crate::task) leaves it for [`Builder::registered`].
#[derive(Debug)]
#[doc(hidden)]
pub struct Registered {
    /// Makes the handler, or says what is wrong with it.
    pub handler: fn() -> Result<Handler>,
}

inventory::collect!(Registered);

/// What is still to be done to the handlers when the engine starts.
#[derive(Default)]
pub(crate) struct Registry {
    linked: bool,
    adjustments: Vec<(String, Adjust)>,
}

type Adjust = Box<dyn FnOnce(Handler) -> Handler + Send>;

impl Builder {
    /// Takes all handlers of the program that have the attribute [`task`](macro@crate::task). Those of a crate that nothing
    /// else is used of are missing: the linker leaves it out.
    pub fn registered(mut self) -> Self {
        self.registry.linked = true;
        self
    }

    /// Ends what is left of kinds that nobody needs any more: their tasks are done without doing anything, and their output
    /// says so.
    ///
    /// ```
    /// # use steadfast::Builder;
    /// # fn example(builder: Builder) -> Builder {
    /// builder.retired(["mail.fax", "mail.telex"])
    /// # }
    /// ```
    pub fn retired<K: Into<String>>(self, kinds: impl IntoIterator<Item = K>) -> Self {
        let skip = |run: Run| async move { run.output("retired: nothing was done") };
        kinds.into_iter().fold(self, |builder, kind| builder.register(Handler::of(kind, skip)))
    }

    /// Changes a handler by its kind, as a program's configuration says; a prefix is named with a star (`mail.*`). A kind
    /// that no handler is for is refused when the engine starts, with all that there are.
    ///
    /// ```
    /// # use steadfast::Builder;
    /// # fn example(builder: Builder, limits: Vec<(String, usize)>) -> Builder {
    /// limits.into_iter().fold(builder, |builder, (kind, max)| builder.adjust(kind, move |handler| handler.limit(max)))
    /// # }
    /// ```
    pub fn adjust(
        mut self,
        kind: impl Into<String>,
        change: impl FnOnce(Handler) -> Handler + Send + 'static,
    ) -> Self {
        self.registry.adjustments.push((kind.into(), Box::new(change)));
        self
    }
}

impl Registry {
    /// All handlers, as they shall be.
    pub(crate) fn complete(self, mut handlers: Vec<Handler>) -> Result<Handlers> {
        if self.linked {
            for registered in inventory::iter::<Registered> {
                handlers.push((registered.handler)()?);
            }
        }
        for (kind, change) in self.adjustments {
            let Some(at) = handlers.iter().position(|handler| handler.pattern.text() == kind) else {
                return Err(Handlers::new(handlers)?.unknown(&kind));
            };
            let handler = handlers.swap_remove(at);
            handlers.push(change(handler));
        }
        Handlers::new(handlers)
    }
}
