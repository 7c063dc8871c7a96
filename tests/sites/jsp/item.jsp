<%@ include file="common.jspf" %><%
List<String> lines = told("item", request.getParameter("id"));
if (lines == null) {
    response.sendError(404);
    return;
}
out.print(begin(lines.get(0), response));
out.print(paragraphs(lines));
%>
<form action="<%= response.encodeURL("basket.jsp") %>" method="post"><input type="submit" value="Buy"></form>
<%= END %>
