#include "table.h"

const char *const tag_names[] = { "terrace", "live-music", "family", "late", "takeaway", NULL };

const struct row table[] = {
  { "Al Forno", "italian", "Berlin", 44, 24, true, TAG_TERRACE | TAG_FAMILY },
  { "Anatolia", "turkish", "Berlin", 41, 14, true, TAG_LATE | TAG_TAKEAWAY },
  { "Bao House", "chinese", "Hamburg", 43, 17, false, TAG_TAKEAWAY },
  { "Brasserie Colette", "french", "Munich", 46, 58, false, TAG_TERRACE },
  { "Casa Azul", "mexican", "Berlin", 39, 21, true, TAG_LIVE_MUSIC | TAG_LATE },
  { "Chez Marcel", "french", "Berlin", 48, 64, false, 0 },
  { "Curry Leaf", "indian", "Hamburg", 45, 19, true, TAG_FAMILY | TAG_TAKEAWAY },
  { "Da Nonna", "italian", "Munich", 47, 32, true, TAG_FAMILY },
  { "Edo", "japanese", "Hamburg", 49, 71, false, 0 },
  { "Five Spices", "chinese", "Munich", 37, 15, true, TAG_TAKEAWAY | TAG_LATE },
  { "Gasthaus Linde", "german", "Munich", 42, 23, false, TAG_TERRACE | TAG_FAMILY },
  { "Green Table", "indian", "Berlin", 44, 18, true, TAG_TERRACE | TAG_TAKEAWAY },
  { "Hafenkombuese", "german", "Hamburg", 40, 26, false, TAG_TERRACE | TAG_LIVE_MUSIC },
  { "Izakaya Mori", "japanese", "Berlin", 45, 36, true, TAG_LATE },
  { "La Cantina", "mexican", "Munich", 36, 19, true, TAG_LIVE_MUSIC },
  { "Lantern", "chinese", "Berlin", 45, 27, true, TAG_FAMILY },
  { "Mangal", "turkish", "Hamburg", 46, 22, false, TAG_TERRACE | TAG_LATE },
  { "Osteria Luna", "italian", "Hamburg", 38, 29, true, TAG_LIVE_MUSIC },
  { "Petit Jardin", "french", "Hamburg", 43, 47, true, TAG_TERRACE },
  { "Sakura", "japanese", "Munich", 44, 41, false, TAG_FAMILY },
  { "Spice Route", "indian", "Munich", 48, 25, true, TAG_TAKEAWAY },
  { "Sultan", "turkish", "Munich", 35, 12, false, TAG_LATE | TAG_TAKEAWAY },
  { "Taqueria Sol", "mexican", "Hamburg", 47, 16, true, TAG_LATE | TAG_TAKEAWAY },
  { "Zur Post", "german", "Berlin", 34, 20, false, TAG_FAMILY },
};
const size_t table_rows = sizeof table / sizeof *table;
