//! What does a blog link to beside its posts? Short links that lead to them, forms to answer each comment, descriptions of each
//! post for programs: several addresses for every page, and hardly one of them says anything of its own.

use crate::hostile::{HostileServer, Request, Response, dynamic, page, redirect, status};

/// A running blog; it stops when dropped.
pub struct Blog {
    server: HostileServer,
    posts: usize,
}

impl Blog {
    /// So many posts with so many comments each. `words` gives a post its title and its paragraphs.
    pub fn start(
        posts: usize,
        comments: usize,
        words: impl Fn(usize) -> (String, String) + Send + Sync + 'static,
    ) -> Blog {
        let server = HostileServer::start();
        let root = server.url("");
        let titles: Vec<String> = (0..posts).map(|post| words(post).0).collect();
        let list: Vec<String> = (0..posts)
            .map(|post| format!("<li><a href=\"{}\">{}</a></li>\n", address(post), titles[post]))
            .collect();
        let list = list.concat();
        let start = format!(
            "<!DOCTYPE html><title>A blog</title>\n<link rel=\"https://api.w.org/\" href=\"{root}/wp-json/\">\n\
             <h1>A blog</h1>\n<ul>{list}</ul>"
        );
        server.route(
            "/",
            dynamic(move |request: &Request| match number_in(&request.target, "?p=") {
                Some(post) => redirect(&address(post)).with_status(301),
                None if request.target == "/" => page(&start),
                None => status(404),
            }),
        );
        let typed = |media_type: &str, body: &str| {
            let reply = status(200).with_header("content-type", media_type);
            reply.with_body(body)
        };
        server.route("/wp-json/*", typed("application/json", "{\"version\": \"1.0\"}"));
        server.route("/xmlrpc.php*", typed("application/rsd+xml", "<rsd/>"));
        server.route(
            "/posts/*",
            dynamic(move |request: &Request| {
                let post = number_in(request.path(), "/posts/post-").filter(|post| *post < posts);
                post.map_or_else(
                    || status(404),
                    |post| written(&root, post, comments, &words(post), request),
                )
            }),
        );
        Blog { server, posts }
    }

    pub fn server(&self) -> &HostileServer {
        &self.server
    }

    /// Its pages: the list of posts and the posts.
    pub fn pages(&self) -> Vec<String> {
        let posts = (0..self.posts).map(|post| self.server.url(&address(post)));
        std::iter::once(self.server.url("/")).chain(posts).collect()
    }
}

fn address(post: usize) -> String {
    format!("/posts/post-{post}/")
}

/// The number that follows these words.
fn number_in(text: &str, before: &str) -> Option<usize> {
    let (_, rest) = text.split_once(before)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// A post with its comments; one of them may be about to be answered.
fn written(
    root: &str,
    post: usize,
    comments: usize,
    (title, paragraphs): &(String, String),
    request: &Request,
) -> Response {
    let own = format!("{root}{}", address(post));
    let answered = number_in(&request.target, "?replytocom=");
    let head = format!(
        "<link rel=\"canonical\" href=\"{own}\">\n<link rel=\"shortlink\" href=\"{root}/?p={post}\">\n\
         <link rel=\"https://api.w.org/\" href=\"{root}/wp-json/\">\n\
         <link rel=\"alternate\" type=\"application/json\" href=\"{root}/wp-json/wp/v2/posts/{post}\">\n\
         <link rel=\"alternate\" type=\"application/json+oembed\" href=\"{root}/wp-json/oembed/1.0/embed?url={own}\">\n\
         <link rel=\"alternate\" type=\"text/xml+oembed\" href=\"{root}/wp-json/oembed/1.0/embed?url={own}&amp;format=xml\">\n\
         <link rel=\"EditURI\" type=\"application/rsd+xml\" href=\"{root}/xmlrpc.php?rsd\">\n"
    );
    let below: Vec<String> = (0..comments)
        .map(|comment| {
            let id = post * 1000 + comment;
            format!(
                "<li id=\"comment-{id}\"><b>Reader {comment}</b><p>This is what reader {comment} says about post {post}.</p>\
                 <a rel=\"nofollow\" href=\"{own}?replytocom={id}#respond\">Reply</a></li>\n"
            )
        })
        .collect();
    let below = below.concat();
    let form = match answered {
        Some(id) => format!(
            "<h3>Reply to reader {}</h3><a href=\"{own}#respond\">Cancel</a>",
            id % 1000
        ),
        None => "<h3>Leave a reply</h3>".to_owned(),
    };
    page(format!(
        "<!DOCTYPE html><html><head><title>{title}</title>\n{head}</head><body><a href=\"{root}/\">A blog</a>\n\
         <article><h1>{title}</h1>\n{paragraphs}</article>\n<ol>{below}</ol>\n\
         <div id=\"respond\">{form}<form action=\"{root}/comments\" method=\"post\"><textarea></textarea></form></div>\
         </body></html>"
    ))
}
