"""A repository of a library on loopback: pyoai answers, the records are lines of JSON in a file that tests write.

    python oai.py ADDRESS PORT RECORDS LOG BATCH
"""

import datetime
import http.server
import json
import sys
import types
import urllib.parse

# pyoai takes one function from a module that newer Pythons emptied and then dropped.
sys.modules["cgi"] = types.ModuleType("cgi")
sys.modules["cgi"].parse_qs = urllib.parse.parse_qs

from oaipmh import common, error, metadata, server

ADDRESS, PORT, RECORDS, LOG, BATCH = sys.argv[1:]


def date_of(text):
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")


class Repository:
    """pyoai's interface for repositories that give their records in pieces."""

    def identify(self):
        return common.Identify(
            repositoryName="Test", baseURL=f"http://{ADDRESS}:{PORT}/oai", protocolVersion="2.0",
            adminEmails=["ann@example.test"], earliestDatestamp=date_of("2000-01-01T00:00:00Z"),
            deletedRecord="persistent", granularity="YYYY-MM-DDThh:mm:ssZ", compression=["identity"])

    def records(self, set=None, from_=None, until=None):
        for line in open(RECORDS, encoding="utf-8"):
            record = json.loads(line)
            date = date_of(record["date"])
            wanted = (set is None or set in record.get("sets", [])) and (from_ is None or date >= from_) and (until is None or date <= until)
            if wanted:
                header = common.Header(None, record["identifier"], date, record.get("sets", []), record.get("deleted", False))
                yield header, common.Metadata(None, record.get("metadata", {})), None

    def getRecord(self, metadataPrefix, identifier):
        for found in self.records():
            if found[0].identifier() == identifier:
                return found
        raise error.IdDoesNotExistError("no such record")

    def listRecords(self, metadataPrefix, set=None, from_=None, until=None, cursor=0, batch_size=10):
        return list(self.records(set, from_, until))[cursor:cursor + batch_size]

    def listIdentifiers(self, metadataPrefix, set=None, from_=None, until=None, cursor=0, batch_size=10):
        return [record[0] for record in self.listRecords(metadataPrefix, set, from_, until, cursor, batch_size)]

    def listMetadataFormats(self, identifier=None):
        return [("oai_dc", "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", "http://www.openarchives.org/OAI/2.0/oai_dc/")]

    def listSets(self, cursor=0, batch_size=10):
        return []


registry = metadata.MetadataRegistry()
registry.registerWriter("oai_dc", server.oai_dc_writer)
answering = server.BatchingServer(Repository(), metadata_registry=registry, resumption_batch_size=int(BATCH))


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(query + "\n")
        if path != "/oai":
            self.send_error(404)
            return
        fields = {name: values[0] for name, values in urllib.parse.parse_qs(query).items()}
        body = answering.handleRequest(fields)
        self.send_response(200)
        self.send_header("Content-Type", "text/xml; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


http.server.ThreadingHTTPServer((ADDRESS, int(PORT)), Handler).serve_forever()
