//! The archive of a run's logs, which `gh run view` reads: a ZIP file without compression, one text file
//! for each step (`<job>/<number>_<step>.txt`). See PKWARE's APPNOTE, sections 4.3.7, 4.3.12 and 4.3.16.

/// Puts named files into one archive.
pub fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, contents) in files {
        let offset = length(&out);
        // Version, flags, method, time and date; then sum, sizes and the length of the name.
        let mut facts = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x5d];
        facts.extend(crc32(contents).to_le_bytes());
        facts.extend(length(contents).to_le_bytes());
        facts.extend(length(contents).to_le_bytes());
        facts.extend(length(name.as_bytes()).to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&facts);
        out.extend(name.as_bytes());
        out.extend(contents);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&facts);
        // No comment, first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = length(&out);
    let count = u16::try_from(files.len()).expect("few files").to_le_bytes();
    out.extend(&directory);
    out.extend(b"PK\x05\x06\x00\x00\x00\x00");
    out.extend([count, count].concat());
    out.extend(length(&directory).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("a small archive")
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 })
    })
}
