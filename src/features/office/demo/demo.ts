import * as z from 'zod'
import { email, longText, optional, schemaOf, select, text } from '~/fields/field'
import type { MessageKey } from '~/shared/language'

/** The sample pages: docs/specification.md, "Screens". */
export const DEMO_PAGES = [
  { path: '/demo/store', label: 'demo.store' },
  { path: '/demo/table', label: 'demo.table' },
  { path: '/demo/tanstack-query', label: 'demo.query' },
  { path: '/demo/form/address', label: 'demo.address' },
  { path: '/demo/form/simple', label: 'demo.simple' },
  { path: '/demo/sentry/testing', label: 'demo.errors' },
  { path: '/demo/start/api-request', label: 'demo.api' },
  { path: '/demo/start/server-funcs', label: 'demo.server' },
] as const satisfies { path: string; label: MessageKey }[]

export const simpleFields = {
  title: text('demo.titleField', { max: 80 }),
  description: longText('demo.description', { max: 300, hint: 'demo.descriptionHint' }),
}

const COUNTRIES = ['jo', 'lb', 'pe', 'es', 'other'] as const

export const addressFields = {
  name: text('demo.fullName'),
  email: email('demo.email'),
  street: text('demo.street'),
  city: text('demo.city'),
  postalCode: optional(text('demo.postalCode', { max: 12 })),
  country: select('demo.country', COUNTRIES, (country): MessageKey => `demo.country_${country}`),
}

export const greetFields = { name: text('demo.fullName', { max: 60 }) }
export const Greet = schemaOf(greetFields)

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

export const SampleSearch = z.object({
  search: z.string().trim().max(200).optional().catch(undefined),
  page: z.number().int().min(1).max(100_000).optional().catch(undefined),
  sort: z.enum(SORTS).optional().catch(undefined),
  direction: z.enum(['asc', 'desc']).optional().catch(undefined),
})

/** One page of the samples, found and sorted as a list's address says. */
export function samplePage({
  search = '',
  page = 1,
  sort = 'name',
  direction = 'asc',
}: z.output<typeof SampleSearch>) {
  const found = SAMPLES.filter(({ name, city }) =>
    `${name} ${city}`.toLowerCase().includes(search.toLowerCase()),
  )
  const sign = direction === 'asc' ? 1 : -1
  const sorted = found.toSorted(
    (a, b) => sign * compare(a[sort], b[sort]) || compare(a.name, b.name),
  )
  return {
    rows: sorted.slice((page - 1) * SAMPLES_A_PAGE, page * SAMPLES_A_PAGE),
    pagination: { page, pageSize: SAMPLES_A_PAGE, total: found.length },
  }
}

const compare = (a: string | number, b: string | number) =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en')
