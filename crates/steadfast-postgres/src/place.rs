//! Where the row of a running task lies.
//!
//! A row that is grabbed stays where it is until somebody writes it again. A finish that knows the place is spared the
//! levels that the primary key of a large table has.

use bytes::{BufMut, BytesMut};
use std::error::Error;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};

/// A row's block and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tid(u32, u16);

/// What is remembered of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) tid: Tid,
    /// Whether nothing outside the row knows of the task: no key, nothing to look it up by.
    pub(crate) bare: bool,
}

impl FromSql<'_> for Tid {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let (block, number) = raw.split_first_chunk().ok_or("a place that is cut off")?;
        Ok(Self(u32::from_be_bytes(*block), u16::from_be_bytes(number.try_into()?)))
    }

    accepts!(TID);
}

impl ToSql for Tid {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.put_u32(self.0);
        out.put_u16(self.1);
        Ok(IsNull::No)
    }

    accepts!(TID);
    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Tid = Tid(7, 1);

    #[test]
    fn a_place_goes_to_the_server_as_it_came() {
        let mut out = BytesMut::new();
        HERE.to_sql(&Type::TID, &mut out).unwrap();
        assert_eq!(Tid::from_sql(&Type::TID, &out).unwrap(), HERE);
        assert!(Tid::from_sql(&Type::TID, &[1, 2]).is_err());
    }
}
