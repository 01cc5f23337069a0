#include "model/json_text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace tacore;

TEST_CASE("nesting depth counts brackets outside strings") {
  CHECK_FALSE(where_too_nested(std::string(64, '[')));
  CHECK(where_too_nested(std::string(65, '[')) == 64u);
  CHECK(where_too_nested(std::string(9, ']') + std::string(65, '[')) == 73u);
  CHECK(where_too_nested(std::string(1'000'000, '{')) == 64u);
  CHECK_FALSE(where_too_nested("\"" + std::string(100, '[') + "\""));
  CHECK_FALSE(where_too_nested(R"("\")" + std::string(100, '[')));  // the quote is escaped
  CHECK(where_too_nested(R"("\\")" + std::string(100, '[')) == 68u);
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "[]";
  CHECK_FALSE(where_too_nested(wide));
  CHECK_FALSE(where_too_nested(""));
  CHECK_FALSE(where_too_nested("\"\\"));
}

TEST_CASE("reformatting changes the indentation of JSON and keeps its tokens") {
  const std::string text = R"( { "b" : [ 1.10 , 2 ], "a":{}, "c": "x\u00e9 , {\"", "d":[ ] } )";
  CHECK(reindent_json(text, -1) == R"({"b":[1.10,2],"a":{},"c":"x\u00e9 , {\"","d":[]})");
  CHECK(reindent_json(text, 2) ==
        "{\n  \"b\": [\n    1.10,\n    2\n  ],\n  \"a\": {},\n  \"c\": \"x\\u00e9 , {\\\"\",\n"
        "  \"d\": []\n}");
  CHECK(reindent_json("[1,2]", 0) == "[\n1,\n2\n]");
  CHECK(reindent_json(" 1 ", 4) == "1");
  CHECK(reindent_json(" \"a b\" ", -1) == "\"a b\"");
}

TEST_CASE("the members of an object are split for any kind of value") {
  const std::string text = R"( { "a" : 1 ,"b\"}":{"c":[1,{"d":2}]}, "e":"x,y}","":[ ], "a":null} )";
  const auto members = json_members(text);
  REQUIRE(members.size() == 5);
  CHECK(members[0].key == R"("a")");
  CHECK(members[0].text == R"("a" : 1 )");
  CHECK(members[1].key == R"("b\"}")");
  CHECK(members[1].text == R"("b\"}":{"c":[1,{"d":2}]})");
  CHECK(members[2].text == R"("e":"x,y}")");
  CHECK(members[3].key == R"("")");
  CHECK(members[3].text == R"("":[ ])");
  CHECK(members[4].text == R"("a":null)");
  for (const auto* none : {"", "{}", " { } "}) CHECK(json_members(none).empty());
}
