<%@ include file="common.jspf" %><%
out.print(begin("Contact", response));
out.print(paragraphs(told("page", "contact")));
%>
<form action="<%= response.encodeURL("contact.jsp") %>" method="post">
<input type="hidden" name="token" value="<%= UUID.randomUUID() %>">
<textarea name="text"></textarea><input type="submit" value="Send"></form>
<%= END %>
