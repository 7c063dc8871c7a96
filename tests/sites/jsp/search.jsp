<%@ include file="common.jspf" %><%
out.print(begin("Search", response));
out.print(paragraphs(told("page", "search")));
%>
<form action="<%= response.encodeURL("search.jsp") %>" method="get"><input name="q"><input type="submit" value="Find"></form>
<%= END %>
