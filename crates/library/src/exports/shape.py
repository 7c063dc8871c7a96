import json
import sys

from lxml import etree

OAI = "{http://www.openarchives.org/OAI/2.0/}"
REPOSITORY = "{http://www.openarchives.org/OAI/2.0/static-repository}"
DC = "{http://purl.org/dc/elements/1.1/}"
OAI_DC = "{http://www.openarchives.org/OAI/2.0/oai_dc/}"

# The parts of the schemas of static repositories and of oai_dc that say what may stand where.
root = etree.parse(sys.argv[1]).getroot()
assert root.tag == REPOSITORY + "Repository"
assert [part.tag for part in root] == [REPOSITORY + name for name in ("Identify", "ListMetadataFormats", "ListRecords")]
asked = ["repositoryName", "baseURL", "protocolVersion", "adminEmail", "earliestDatestamp", "deletedRecord", "granularity"]
assert [field.tag for field in root[0]] == [OAI + name for name in asked]
assert root[0][2].text == "2.0" and root[0][5].text == "no" and root[0][6].text == "YYYY-MM-DD"
assert root[2].get("metadataPrefix") == "oai_dc"
elements = {"title", "creator", "subject", "description", "publisher", "contributor", "date", "type", "format"}
elements |= {"identifier", "source", "language", "relation", "coverage", "rights"}
identifiers, titles, first = [], [], {}
for record in root[2]:
    assert record.tag == OAI + "record" and [part.tag for part in record] == [OAI + "header", OAI + "metadata"]
    assert [field.tag for field in record[0]] == [OAI + "identifier", OAI + "datestamp"]
    assert len(record[0][1].text) == 10
    (dc,) = record[1]
    assert dc.tag == OAI_DC + "dc"
    assert all(field.tag.startswith(DC) and field.tag[len(DC) :] in elements for field in dc)
    identifiers.append(record[0][0].text)
    titles.append(dc.findtext(DC + "title"))
    for field in dc if not first or len(identifiers) == 1 else []:
        first.setdefault(field.tag[len(DC) :], []).append(field.text)
plain = [dc.findtext(DC + "title") for dc in etree.parse(sys.argv[2]).getroot()]
print(json.dumps({"identifiers": identifiers, "titles": titles, "first": first, "dc titles": plain}))
