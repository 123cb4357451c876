//! One kind of load, with its halves.

use crate::Result;
use crate::bar::Bar;
use crate::ground::{Base, Ground};
use crate::sample::Sample;

/// A load that is put on the database alone and on the engine over it.
pub(crate) struct Shape {
    pub(crate) base: Base,
    /// Unique on its base.
    pub(crate) name: &'static str,
    /// One line for people.
    pub(crate) what: &'static str,
    /// What the rate counts a second, or what it is instead.
    pub(crate) unit: &'static str,
    /// Which figure is set beside the floor's.
    pub(crate) figure: Figure,
    /// What the engine keeps of an ended task; none where it does not matter.
    pub(crate) retention: Option<&'static str>,
    /// Raw statements on a lean table; none where the database alone does nothing of the sort.
    pub(crate) floor: Option<Work>,
    /// Plain statements on the store's own tables; none where the shape is not about speed.
    pub(crate) raw: Option<Work>,
    /// The engine; none where the shape is about the database alone.
    pub(crate) engine: Option<Work>,
    /// What the engine has to reach.
    pub(crate) bars: &'static [Bar],
    /// Most rounds that are worth their time.
    pub(crate) rounds_max: usize,
}

/// One half, on a database of its own.
pub(crate) type Work = fn(&Ground) -> Result<Sample>;

/// As many rounds as were asked for: a bar is judged by it.
pub(crate) const ROUNDS_ALL: usize = usize::MAX;
/// Enough for a figure that is only shown, or whose bar is far away.
pub(crate) const ROUNDS_FEW: usize = 3;

/// What a shape is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figure {
    /// The rate, in the shape's unit.
    Rate,
    /// The middle of the times; the rate is given by the load and says nothing.
    P50,
}

/// Which half of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    Floor,
    Raw,
    Engine,
}

impl Figure {
    pub(crate) const fn of(self, sample: &Sample) -> Option<f64> {
        match self {
            Self::Rate => Some(sample.rate),
            Self::P50 => sample.p50_us,
        }
    }
}

impl Half {
    /// In the order of their turns.
    pub(crate) const ALL: [Self; 3] = [Self::Floor, Self::Raw, Self::Engine];

    /// No bar is about raw statements: they are only shown.
    pub(crate) const fn rounds_max(self) -> usize {
        match self {
            Self::Raw => ROUNDS_FEW,
            Self::Floor | Self::Engine => ROUNDS_ALL,
        }
    }

    /// What a shape does for it, if it has that half.
    pub(crate) fn of(self, shape: &Shape) -> Option<Work> {
        match self {
            Self::Floor => shape.floor,
            Self::Raw => shape.raw,
            Self::Engine => shape.engine,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Raw => "raw",
            Self::Engine => "engine",
        }
    }
}

impl std::str::FromStr for Half {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let half = Self::ALL.into_iter().find(|half| half.name() == text);
        half.ok_or_else(|| format!("no half `{text}` (known: floor, raw, engine)"))
    }
}
