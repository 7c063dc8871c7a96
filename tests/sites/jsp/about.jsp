<%@ include file="common.jspf" %><%
out.print(begin("About us", response));
out.print(paragraphs(told("page", "about")));
%>
<%= END %>
