// Who rated which movie, in the order of time: MovieLens' files, or drawn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace examples {

struct Rating {
  int64_t user = 0, movie = 0;  // numbered from 0
  double rating = 0;
  int64_t time = 0;
};

struct Ratings {
  std::vector<Rating> all;  // each user's in the order of time
  int64_t users = 0, movies = 0;
};

// u.data (tabs), ratings.dat (::) or ratings.csv (commas, after a line of names): user, movie,
// rating, time; of a folder the one of them that is there. A line of another form is an
// InvalidArgument with its number. Ids are numbered anew in the order in which they appear.
Ratings read_ratings(const std::string& path);

// Users who like one or two of eight genres, and of a genre some movies more than others; each has
// rated 30 different movies.
Ratings draw_ratings(int64_t users, int64_t movies, uint64_t seed);

// One movie that a user rated, and up to so many that were rated before it, the latest first.
struct Watching {
  int64_t user = 0, movie = 0;
  std::vector<int64_t> watched;
};

struct WatchingSplit {
  std::vector<Watching> train, test;  // test: each user's last
};
WatchingSplit split_ratings(const Ratings& ratings, int64_t most_watched);

}  // namespace examples
