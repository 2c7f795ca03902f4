import { oneOfOptions, page, type RouteSearch, defineSearch, trimmed } from '~/shared/search-params'

export type Sample = { id: string; name: string; city: string; born: number }

const GIVEN = [
  'Amal',
  'Bassam',
  'Carmen',
  'Dalia',
  'Elías',
  'Farah',
  'Ghassan',
  'Huda',
  'Iker',
  'Jawad',
] as const
const FAMILY = ['Haddad', 'Mansour', 'Quispe', 'Nasser', 'Reyes', 'Khatib', 'Flores'] as const
const CITIES = ['Amman', 'Beirut', 'Lima', 'Cusco', 'Irbid'] as const

/** Seventy invented people, always the same. */
export const SAMPLES: readonly Sample[] = GIVEN.flatMap((given, i) =>
  FAMILY.map((family, j) => ({
    id: `${i}-${j}`,
    name: `${given} ${family}`,
    city: CITIES[(i * 3 + j) % CITIES.length]!,
    born: 1950 + ((i * 17 + j * 11) % 60),
  })),
)

const SAMPLES_A_PAGE = 20
const SORTS = ['name', 'city', 'born'] as const

export const sampleSearch = defineSearch({
  search: trimmed(200),
  page,
  sort: oneOfOptions(SORTS),
  direction: oneOfOptions(['asc', 'desc']),
})

/** One page of the samples, found and sorted as a list's address says. */
export function samplePage({
  search = '',
  page: shown = 1,
  sort = 'name',
  direction = 'asc',
}: RouteSearch<typeof sampleSearch>) {
  const found = SAMPLES.filter(({ name, city }) =>
    `${name} ${city}`.toLowerCase().includes(search.toLowerCase()),
  )
  const sign = direction === 'asc' ? 1 : -1
  const sorted = found.toSorted(
    (a, b) => sign * compare(a[sort], b[sort]) || compare(a.name, b.name),
  )
  return {
    rows: sorted.slice((shown - 1) * SAMPLES_A_PAGE, shown * SAMPLES_A_PAGE),
    pagination: { page: shown, pageSize: SAMPLES_A_PAGE, total: found.length },
  }
}

const compare = (a: string | number, b: string | number) =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en')
