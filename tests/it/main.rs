//! The binary against real servers: what a person would see, judged by truth known beforehand.
//!
//! Each hostile case carries its id in its name (`hc045_…`). One test binary, so that linking is paid once.

mod charset;
mod cli;
mod collecting;
mod compression;
mod concepts;
mod crash;
mod crawl;
mod crawled;
mod documents;
mod export;
mod graph;
mod house;
mod html;
mod http;
mod library;
mod listed;
mod listings;
mod log;
mod mirror;
mod output;
mod projects;
mod prune;
mod rebuild;
mod redirects;
mod report;
mod robots;
mod search;
mod sitemaps;
mod sites;
mod storage;
mod track;
mod urls;
mod versions;
