//! Is this processor one that the program was built for? Asked before anything else: an unknown instruction ends a program
//! without a word.

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_feature = "avx2"))]
use std::io::Read;

/// Enough for what the kernel says of one processor.
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_feature = "avx2"))]
const FIRST_BYTES: u64 = 16 * 1024;

/// What is missing, as one sentence. The standard library's own question is answered by the compiler in such a build, so
/// the kernel is asked.
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_feature = "avx2"))]
pub(crate) fn missing() -> Option<String> {
    // The first processor speaks for all; a large machine has hundreds, and every command asks.
    let mut about = Vec::new();
    let all = std::fs::File::open("/proc/cpuinfo").ok()?;
    all.take(FIRST_BYTES).read_to_end(&mut about).ok()?;
    lacking(&String::from_utf8_lossy(&about)).map(|feature| {
        format!(
            "this program was built for processors with {feature} (most since 2013), which this one lacks; build it \
             again with RUSTFLAGS=\"-C target-cpu=x86-64\" cargo build --release"
        )
    })
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_feature = "avx2")))]
pub(crate) fn missing() -> Option<String> {
    None
}

#[cfg_attr(
    not(target_feature = "avx2"),
    allow(dead_code, reason = "only such builds ask")
)]
fn lacking(about: &str) -> Option<&'static str> {
    let flags = about.lines().find(|line| line.starts_with("flags"))?;
    ["avx2", "bmi2", "fma"]
        .into_iter()
        .find(|feature| !flags.split_whitespace().any(|flag| flag == *feature))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_processors_are_told_apart() {
        assert_eq!(
            lacking("processor : 0\nflags : fpu sse avx avx2 bmi1 bmi2 fma\n"),
            None
        );
        assert_eq!(lacking("flags : fpu sse avx bmi2 fma"), Some("avx2"));
        assert_eq!(lacking("flags : avx2 avx"), Some("bmi2"));
        assert_eq!(lacking("nothing that names them"), None, "no reason to refuse");
    }
}
