<%@ include file="common.jspf" %><%
List<String> lines = told("article", request.getParameter("n"));
if (lines == null) {
    response.sendError(404);
    return;
}
out.print(begin(lines.get(0), response));
out.print(paragraphs(lines));
out.print("<div class=\"made\">Made at " + new Date() + " in 0." + (1000 + new Random().nextInt(9000)) + " s</div>\n");
out.print(END);
%>
