//! The algorithms that make bytes smaller. All three write checksums: damaged bytes are never read as something else.

use steadfast_core::Compression;

/// Why bytes could not be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unopened {
    #[error("is packed by {0}, which this build does not have; build with the feature `compression`")]
    Missing(Compression),
    #[cfg(feature = "compression")]
    #[error("was packed by {0} and is damaged: {1}")]
    Damaged(Compression, String),
    #[cfg(feature = "compression")]
    #[error("unpacks to over {0} bytes; store it elsewhere and pass a reference")]
    TooLarge(usize),
}

/// Whether this build can pack and open so.
pub(crate) const fn has(algorithm: Compression) -> bool {
    use Compression::{Gzip, Lz4, None, Zstd};
    matches!(algorithm, None) || cfg!(feature = "compression") && matches!(algorithm, Gzip | Lz4 | Zstd)
}

#[cfg(not(feature = "compression"))]
pub(crate) fn pack(_: Compression, _: &[u8]) -> Option<Vec<u8>> {
    None
}

#[cfg(not(feature = "compression"))]
pub(crate) fn open(algorithm: Compression, _: &[u8], _: usize) -> Result<Vec<u8>, Unopened> {
    Err(Unopened::Missing(algorithm))
}

#[cfg(feature = "compression")]
pub(crate) use with::{open, pack};

#[cfg(feature = "compression")]
mod with {
    use super::Unopened;
    use flate2::read::MultiGzDecoder;
    use flate2::write::GzEncoder;
    use lz4_flex::frame::{FrameDecoder, FrameEncoder, FrameInfo};
    use std::io::{self, Read, Write};
    use steadfast_core::Compression;

    /// How much of what it unpacked a decoder may have to keep, as a power of two: 8 MiB, as the standard advises.
    const ZSTD_WINDOW_LOG_MAX: u32 = 23;

    /// Packed bytes; none for an algorithm that this build does not have.
    pub(crate) fn pack(algorithm: Compression, bytes: &[u8]) -> Option<Vec<u8>> {
        // Writing to memory never fails.
        match algorithm {
            Compression::Gzip => gzip(bytes).ok(),
            Compression::Lz4 => lz4(bytes).ok(),
            Compression::Zstd => zstd(bytes).ok(),
            _ => None,
        }
    }

    /// Bytes as they were before, if they are no more than `bytes_max`. However much they claim to be, no more than
    /// that is ever unpacked.
    pub(crate) fn open(algorithm: Compression, bytes: &[u8], bytes_max: usize) -> Result<Vec<u8>, Unopened> {
        let opened = match algorithm {
            Compression::Gzip => read(MultiGzDecoder::new(bytes), bytes_max),
            Compression::Lz4 => unlz4(bytes, bytes_max),
            Compression::Zstd => unzstd(bytes, bytes_max),
            _ => return Err(Unopened::Missing(algorithm)),
        };
        match opened {
            Ok(opened) if opened.len() > bytes_max => Err(Unopened::TooLarge(bytes_max)),
            Ok(opened) => Ok(opened),
            Err(fault) => Err(Unopened::Damaged(algorithm, fault.to_string())),
        }
    }

    /// One byte more than allowed tells too much from just enough.
    fn read(decoder: impl Read, bytes_max: usize) -> io::Result<Vec<u8>> {
        let mut opened = Vec::new();
        let bytes_max = u64::try_from(bytes_max).unwrap_or(u64::MAX);
        decoder.take(bytes_max.saturating_add(1)).read_to_end(&mut opened)?;
        Ok(opened)
    }

    fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes)?;
        encoder.finish()
    }

    fn lz4(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let len = u64::try_from(bytes.len()).ok();
        let info = FrameInfo::new().block_checksums(true).content_size(len);
        let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(bytes)?;
        Ok(encoder.finish()?)
    }

    /// The decoder takes a frame that ends between two blocks for a whole one; the length in its head tells them apart.
    fn unlz4(bytes: &[u8], bytes_max: usize) -> io::Result<Vec<u8>> {
        let len = lz4_len(bytes).ok_or_else(|| io::Error::other("it does not begin with its length"))?;
        let opened = read(FrameDecoder::new(bytes), bytes_max)?;
        let whole = opened.len() > bytes_max || u64::try_from(opened.len()) == Ok(len);
        if whole { Ok(opened) } else { Err(io::Error::other("it is cut short")) }
    }

    /// The length in a frame's head: a flag says that it is there, after the number of the format.
    fn lz4_len(bytes: &[u8]) -> Option<u64> {
        let (flags, len) = (bytes.get(4)?, bytes.get(6..14)?);
        let len = u64::from_le_bytes(len.try_into().ok()?);
        (flags & 0b1000 != 0).then_some(len)
    }

    fn unzstd(bytes: &[u8], bytes_max: usize) -> io::Result<Vec<u8>> {
        let mut decoder = zstd::Decoder::new(bytes)?;
        decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
        read(decoder, bytes_max)
    }

    fn zstd(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut encoder = zstd::Encoder::new(Vec::new(), zstd::DEFAULT_COMPRESSION_LEVEL)?;
        encoder.include_checksum(true)?;
        encoder.write_all(bytes)?;
        encoder.finish()
    }
}

#[cfg(all(test, feature = "compression"))]
mod tests {
    use super::*;

    const ALL: [Compression; 3] = [Compression::Gzip, Compression::Lz4, Compression::Zstd];

    #[test]
    fn what_was_packed_comes_back() {
        for bytes in [vec![], b"a".to_vec(), vec![7; 100_000], (0..=255).cycle().take(70_000).collect()] {
            for algorithm in ALL {
                let packed = pack(algorithm, &bytes).expect("it is in this build");
                assert_eq!(open(algorithm, &packed, bytes.len()), Ok(bytes.clone()), "{algorithm}");
            }
        }
    }

    #[test]
    fn a_bomb_is_unpacked_no_further_than_allowed() {
        for algorithm in ALL {
            let bomb = pack(algorithm, &vec![0; 10_000_000]).expect("it is in this build");
            assert!(bomb.len() < 100_000, "{algorithm}: {}", bomb.len());
            assert_eq!(open(algorithm, &bomb, 1000), Err(Unopened::TooLarge(1000)), "{algorithm}");
            assert_eq!(open(algorithm, &bomb, 9_999_999), Err(Unopened::TooLarge(9_999_999)), "{algorithm}");
            assert!(open(algorithm, &bomb, 10_000_000).is_ok(), "{algorithm}");
        }
    }

    #[test]
    fn damaged_bytes_are_never_read_as_something_else() {
        let bytes: Vec<u8> = (0..300u32).flat_map(|n| (n * n).to_le_bytes()).collect();
        for algorithm in ALL {
            let packed = pack(algorithm, &bytes).expect("it is in this build");
            let mut noticed = 0;
            for at in 0..packed.len() {
                let mut damaged = packed.clone();
                damaged[at] ^= 0x55;
                for damaged in [&damaged, &packed[..at]] {
                    let opened = open(algorithm, damaged, 1 << 20);
                    noticed += usize::from(opened.is_err());
                    assert!(opened.is_err() || opened == Ok(bytes.clone()), "{algorithm}, byte {at}");
                }
            }
            // Some bytes mean nothing: gzip's time of packing, the mark at the end of a frame.
            assert!(noticed > packed.len() * 2 - 20, "{algorithm}: {noticed} of {}", packed.len() * 2);
        }
    }

    #[test]
    fn an_algorithm_of_a_later_build_is_named() {
        let later = Compression::Unknown(5);
        assert_eq!(pack(later, b"a"), None);
        let text = open(later, b"a", 9).unwrap_err().to_string();
        assert_eq!(
            text,
            "is packed by algorithm 5, which this build does not have; build with the feature `compression`"
        );
    }
}
