#include "systolic/io/hdf5/worker/list.h"

#include <algorithm>
#include <set>
#include <utility>

#include "systolic/io/hdf5/wire.h"
#include "systolic/io/hdf5/worker/attributes.h"
#include "systolic/io/hdf5/worker/dataset.h"
#include "systolic/io/hdf5/worker/types.h"

namespace worker {
namespace {

namespace wire = systolic::io::hdf5_wire;

struct Link {
  std::string name;
  H5L_type_t type;
};

struct LinkNames {
  std::vector<Link> links;
  size_t room;
};

herr_t collect_link(hid_t, const char* name, const H5L_info_t* info, void* names) noexcept {
  auto& all = *static_cast<LinkNames*>(names);
  if (all.links.size() >= all.room) return 1;
  all.links.push_back({name, info->type});
  return 0;
}

class Lister {
 public:
  Listing list(hid_t file) {
    const Handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, "the root group");
    H5O_info_t info{};
    checked(H5Oget_info(root, &info), "the root group");
    append_group("", root, info.addr, 0);
    return {out_.bytes(), std::move(datasets_)};
  }

 private:
  void append_group(const std::string& name, hid_t group, haddr_t place, size_t depth) {
    if (!groups_.insert(place).second) throw Fault("two links lead to the group '" + name + "'");
    if (depth > wire::most_depth)
      throw Fault("more than " + std::to_string(wire::most_depth) + " groups in each other");
    head(wire::Item::group, name);
    attributes_.append(group, out_);
    LinkNames names{{}, wire::most_objects - objects_};
    hsize_t next = 0;
    const herr_t stopped =
        checked(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &next, collect_link, &names),
                "the members of a group");
    objects_ += names.links.size();
    if (stopped > 0)
      throw Fault("more than " + std::to_string(wire::most_objects) + " groups and datasets");
    for (const Link& link : names.links) append_member(group, link, depth);
    out_.byte(static_cast<uint8_t>(wire::Item::end));
  }

  void append_member(hid_t group, const Link& link, size_t depth) {
    if (link.type == H5L_TYPE_SOFT) return append_link(link.name, "it is a soft link");
    if (link.type != H5L_TYPE_HARD) return append_link(link.name, "it is a link to another file");
    const Handle object(H5Oopen(group, link.name.c_str(), H5P_DEFAULT), H5Oclose,
                        ("'" + link.name + "'").c_str());
    H5O_info_t info{};
    checked(H5Oget_info(object, &info), "an object");
    switch (info.type) {
      case H5O_TYPE_GROUP:
        return append_group(link.name, object, info.addr, depth + 1);
      case H5O_TYPE_DATASET:
        return append_dataset(link.name, object, info.addr);
      default:
        return append_link(link.name, "it is neither a group nor a dataset");
    }
  }

  void append_dataset(const std::string& name, hid_t dataset, haddr_t place) {
    const DatasetForm form = form_of(dataset);
    head(wire::Item::dataset, name);
    out_.text(form.type);
    out_.number(form.dims.size());
    for (const hsize_t size : form.dims) out_.number(size);
    out_.number(form.place);
    out_.number(form.stored_bytes);
    out_.text(form.unreadable);
    attributes_.append(dataset, out_);
    datasets_.push_back(place);
  }

  void append_link(const std::string& name, const std::string& why) {
    head(wire::Item::link, name);
    out_.text(why);
  }

  void head(wire::Item item, const std::string& name) {
    out_.byte(static_cast<uint8_t>(item));
    out_.text(name);
  }

  AttributeReader attributes_;
  wire::Writer out_;
  std::set<haddr_t> groups_;
  std::vector<haddr_t> datasets_;
  size_t objects_ = 0;
};

}  // namespace

Listing list_file(hid_t file) { return Lister().list(file); }

}  // namespace worker
