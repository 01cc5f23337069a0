#include "net/distance.hpp"

#include <doctest/doctest.h>

namespace tacore::net {
namespace {

HttpResponse response_after(double round_trip, std::size_t num_bytes, double bandwidth) {
  HttpResponse out{.status = 206, .seconds_to_first_byte = round_trip};
  out.body.resize(num_bytes);
  out.seconds = round_trip + static_cast<double>(num_bytes) / bandwidth;
  return out;
}

bool is_about(uint64_t found, double expected) {
  return static_cast<double>(found) > 0.99 * expected && static_cast<double>(found) < 1.01 * expected;
}

}  // namespace

TEST_CASE("a round trip is worth the bytes that arrive in its time") {
  Distance distance;
  CHECK(distance.bytes_of_round_trip() == 0);  // nothing is known
  distance.learn(response_after(0.05, 10'000, 1e9));
  CHECK(is_about(distance.bytes_of_round_trip(), 0.05 * 12.5e6));  // too short to tell the bandwidth
  distance.learn(response_after(0.05, 4'000'000, 40e6));
  CHECK(is_about(distance.bytes_of_round_trip(), 0.05 * 40e6));
  distance.learn(response_after(0.02, 10'000, 1e9));
  CHECK(is_about(distance.bytes_of_round_trip(), 0.02 * 40e6));
}

TEST_CASE("single slow responses do not make a server far, and a line that becomes slow does") {
  Distance distance;
  for (int i = 0; i < 10; ++i) distance.learn(response_after(0.001, 1'000'000, 1e9));
  CHECK(distance.bytes_of_round_trip() == 0);
  distance.learn(response_after(0.05, 1'000'000, 1e9));
  CHECK(distance.bytes_of_round_trip() == 0);
  for (int i = 0; i < 100; ++i) distance.learn(response_after(0.05, 1'000'000, 20e6));
  CHECK(is_about(distance.bytes_of_round_trip(), 0.05 * 20e6));
  for (int i = 0; i < 3; ++i) distance.learn(response_after(0.02, 1'000'000, 100e6));
  CHECK(is_about(distance.bytes_of_round_trip(), 0.02 * 100e6));
  distance.learn(response_after(10, 4'000'000, 1e12));
  CHECK(distance.bytes_of_round_trip() <= 16 << 20);
}

TEST_CASE("responses that failed tell nothing") {
  Distance distance;
  HttpResponse failed = response_after(0.5, 0, 1);
  failed.failure = "the connection was closed";
  distance.learn(failed);
  distance.learn({});
  CHECK(distance.bytes_of_round_trip() == 0);
}

TEST_CASE("each server has a distance of its own") {
  distance_of("https://far.example/a").learn(response_after(0.05, 0, 1));
  CHECK(distance_of("https://far.example/b").bytes_of_round_trip() > 0);
  CHECK(distance_of("https://near.example/a").bytes_of_round_trip() == 0);
  CHECK(distance_of("http://far.example/a").bytes_of_round_trip() == 0);
}

}  // namespace tacore::net
