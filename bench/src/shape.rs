//! One kind of load, with its two halves.

use crate::Result;
use crate::place::Scratch;
use crate::sample::Sample;

/// A load that is put on the database alone and on the engine over it.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    /// One line for people.
    pub(crate) what: &'static str,
    /// What the rate counts a second, or what it is instead.
    pub(crate) unit: &'static str,
    /// Which figure is set beside the floor's.
    pub(crate) figure: Figure,
    /// What the engine keeps of an ended task; none where it does not matter.
    pub(crate) retention: Option<&'static str>,
    /// Raw statements on a lean table.
    pub(crate) floor: fn(&Scratch) -> Result<Sample>,
    /// The engine; none where the shape is about the database alone.
    pub(crate) engine: Option<fn(&Scratch) -> Result<Sample>>,
}

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
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Engine => "engine",
        }
    }
}

impl std::str::FromStr for Half {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "floor" => Ok(Self::Floor),
            "engine" => Ok(Self::Engine),
            other => Err(format!("no half `{other}` (known: floor, engine)")),
        }
    }
}
