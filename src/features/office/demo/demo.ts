import { email, longText, optional, fieldsSchema, select, text } from '~/fields/field'
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
export const Greet = fieldsSchema(greetFields)
