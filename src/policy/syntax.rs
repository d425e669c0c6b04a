//! Data formats that the program parses itself.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::model::syntax::Format;

/// Why the text is not of the format; nothing when it is, or is of a dialect that only its reader can judge: JSON with
/// comments, YAML that is a template.
pub fn fault(format: Format, text: &str) -> Option<String> {
    let has = |part: &str| text.contains(part);
    if matches!(format, Format::Json) && (has("//") || has("/*")) || matches!(format, Format::Yaml) && has("{{") {
        return None;
    }
    match format {
        Format::Json => serde_json::from_str::<IgnoredAny>(text).err().map(|error| error.to_string()),
        Format::Toml => toml::from_str::<toml::Table>(text).err().map(|error| error.to_string()),
        Format::Yaml => serde_yaml_ng::Deserializer::from_str(text)
            .find_map(|document| IgnoredAny::deserialize(document).err())
            .map(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_would_refuse_is_a_fault_with_its_place() {
        let why = |format, text| fault(format, text).unwrap_or_default();
        assert_eq!(fault(Format::Json, "{\"a\": [1, null]}"), None);
        assert!(why(Format::Json, "{\"a\": 1,}").contains("line 1"));
        assert_eq!(fault(Format::Json, "{ // tsconfig\n}"), None);
        assert_eq!(fault(Format::Yaml, "a: {{ .Values.a }}\n{{- end }}"), None);
        assert_eq!(fault(Format::Toml, "[a]\nb = 1\n"), None);
        assert!(why(Format::Toml, "[a]\nb = \n").contains("line 2"));
        assert_eq!(fault(Format::Yaml, "a: !Ref b\n---\n- 1\n---\n"), None);
        assert!(!why(Format::Yaml, "a: [1\n---\n- 1\n").is_empty());
        assert!(!why(Format::Yaml, "a: 1\n---\nb: ]\n").is_empty());
        assert_eq!(fault(Format::Yaml, ""), None);
    }
}
