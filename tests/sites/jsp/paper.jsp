<%@ include file="common.jspf" %><%
List<String> lines = told("paper", request.getParameter("ref"));
if (lines == null) {
    response.sendError(404);
    return;
}
out.print(begin(lines.get(0), response));
out.print(paragraphs(lines));
out.print(END);
%>
