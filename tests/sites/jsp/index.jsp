<%@ include file="common.jspf" %><%
out.print(begin("The corner shop", response));
out.print(paragraphs(told("page", "home")));
out.print("<ul>\n");
for (String key : keys("paper")) {
    out.print("<li>" + link("paper.jsp?ref=" + key, "Paper", response) + "</li>\n");
}
for (String key : keys("reprint")) {
    out.print("<li>" + link("reprints/" + key + ".jsp", "Reprint", response) + "</li>\n");
}
out.print("<li><a href=\"help.html\">Help</a></li>\n</ul>\n");
out.print("<div class=\"visits\">Visit number " + new Random().nextInt(1000000) + "</div>\n");
out.print(END);
%>
