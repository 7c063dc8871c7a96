//! The page at the door of a copy: it leads to where the site begins.

use crate::html::escaped;

/// Where a site begins: its URL, and the file as the page at the door writes it.
pub(super) struct Start {
    pub(super) url: String,
    /// None: the copy has it not.
    pub(super) file: Option<String>,
}

/// Leads on at once where there is only one way; `first` is where to go if none of the ways is in the copy. Nothing in it changes
/// from run to run, unless the ways do.
pub(super) fn page(project: &str, starts: &[Start], first: &str) -> String {
    let title = escaped(&format!("{project}, a copy"));
    let to = match starts {
        [Start { file: Some(file), .. }] => Some(file.as_str()),
        _ if starts.iter().all(|start| start.file.is_none()) => Some(first),
        _ => None,
    };
    // By a script where there are scripts: browsers that draw a page without a window wait for ever for a refresh.
    let only = to.map_or_else(String::new, |file| {
        let spelled = serde_json::Value::from(file).to_string().replace('<', "\\u003c");
        format!(
            "<script>location.replace({spelled})</script>\n\
             <noscript><meta http-equiv=\"refresh\" content=\"0; url={}\"></noscript>\n",
            escaped(file)
        )
    });
    let mut list = String::new();
    for start in starts {
        let target = escaped(start.file.as_deref().unwrap_or(&start.url));
        list.push_str("<li><a href=\"");
        list.push_str(&target);
        list.push_str("\">");
        list.push_str(&escaped(&start.url));
        list.push_str("</a></li>\n");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{only}\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n</head>\n\
         <body style=\"font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem\">\n\
         <h1>{title}</h1>\n<ul>\n{list}</ul>\n</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(file: Option<&str>) -> Start {
        Start {
            url: "http://a.test/".to_owned(),
            file: file.map(str::to_owned),
        }
    }

    #[test]
    fn the_door_leads_on_where_there_is_one_way() {
        let one = page("p", &[start(Some("a/x.html"))], "a/first.html");
        assert!(one.contains("location.replace(\"a/x.html\")"), "{one}");
        let none = page("p", &[start(None)], "a/first.html");
        assert!(none.contains("location.replace(\"a/first.html\")"), "{none}");
        let two = page(
            "p",
            &[start(Some("a/x.html")), start(Some("b/x.html"))],
            "a/first.html",
        );
        assert!(!two.contains("location.replace"), "{two}");
        let odd = page("p", &[start(Some("</script>\"x"))], "a");
        assert_eq!(odd.matches("</script>").count(), 1, "{odd}");
    }
}
