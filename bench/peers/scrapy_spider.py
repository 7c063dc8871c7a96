"""Scrapy as a peer: follows every in-host link, honours robots.txt, keeps nothing but counts.

scrapy runspider peers/scrapy_spider.py -a seed=URL -s CONCURRENT_REQUESTS=64 ...
"""
from urllib.parse import urlsplit

import scrapy
from scrapy.linkextractors import LinkExtractor


class PeerSpider(scrapy.Spider):
    name = "peer"
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "LOG_LEVEL": "ERROR",
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "DEPTH_LIMIT": 0,
    }

    def __init__(self, seed, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [seed]
        # By authority: the extractor's own domain filter does not take an address with a port.
        self.authority = urlsplit(seed).netloc
        self.links = LinkExtractor()
        self.pages = 0

    def parse(self, response):
        self.pages += 1
        for link in self.links.extract_links(response):
            if urlsplit(link.url).netloc == self.authority:
                yield scrapy.Request(link.url, callback=self.parse)

    def closed(self, reason):
        print('{"pages": %d, "reason": "%s"}' % (self.pages, reason))
