import * as z from 'zod'
import { keysIn } from '~/shared/object'
import { boolean, type Field, optional, select, text } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { Saved } from '~/shared/record'
import { isTimeZone } from '~/shared/is-time-zone'

/**
 * `online`: phones always ask the server; `offline`: they work on stored data and sync; or the user
 * chooses.
 */
const OPERATION_MODES = ['online', 'offline', 'user_choice'] as const

/**
 * `ask`: a clinic opens what others recorded with a reason; `organization`: the clinics of one team
 * show each other what they recorded.
 */
const SHARE_HISTORY = ['ask', 'organization'] as const

/** Months that reads and refusals are kept. */
const ACCESS_LOG_MONTHS = ['12', '24', '36', '60', '120'] as const

/**
 * `https://clinic.example:8443`: nothing after the port, so that every address of ours can follow
 * it.
 */
const origin = z.string('validation.wrongType').transform((typed, { issues }) => {
  const url = URL.canParse(typed) ? new URL(typed) : undefined
  const isOrigin =
    url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash
  if (isOrigin && url.pathname === '/') return url.origin
  issues.push({ code: 'custom', message: 'settings.originForm', input: typed })
  return z.NEVER
})

/** A name of the IANA list; bare offsets like +02:00 know nothing of summer time. */
const timeZone = z
  .string('validation.wrongType')
  .refine((name) => /^[A-Za-z]/.test(name) && isTimeZone(name), 'settings.timeZoneUnknown')

/** The settings by `namespace/key`: how each is asked and validated. "" and null mean: not set. */
export const configurationFields = {
  'organization/organization-name': optional(
    text('settings.organizationName', { hint: 'settings.organizationHint' }),
  ),
  'system/time-zone': optional({
    ...select('settings.timeZone', ['UTC'], () => 'settings.timeZone', {
      hint: 'settings.timeZoneHint',
    }),
    schema: timeZone,
  }),
  'system/public-origin': optional({
    ...text('settings.publicOrigin', { hint: 'settings.originHint' }),
    schema: z.string('validation.wrongType').trim().max(300, 'validation.tooLong').pipe(origin),
  }),
  'care/share-history': select(
    'settings.shareHistory',
    SHARE_HISTORY,
    (choice): MessageKey => `settings.share_${choice}`,
    { hint: 'settings.shareHistoryHint' },
  ),
  'care/second-sign-in': boolean('settings.secondSignIn', { hint: 'settings.secondSignInHint' }),
  'system/operation_mode': select(
    'settings.operationMode',
    OPERATION_MODES,
    (mode): MessageKey => `settings.mode_${mode}`,
    { hint: 'settings.operationModeHint' },
  ),
  'auth/disable-mobile-permissions-checking': boolean('settings.disableChecking', {
    hint: 'settings.disableCheckingHint',
  }),
  'audit/access-log-months': select(
    'settings.accessLogMonths',
    ACCESS_LOG_MONTHS,
    (months): MessageKey => `settings.months_${months}`,
    { hint: 'settings.accessLogMonthsHint' },
  ),
  'exchange/medical-record-system': optional({
    ...text('settings.medicalRecordSystem', { hint: 'settings.medicalRecordSystemHint' }),
    schema: z
      .string('validation.wrongType')
      .trim()
      .max(300, 'validation.tooLong')
      .regex(/^([A-Za-z][A-Za-z0-9+.-]*:\S+)?$/, 'settings.uriForm'),
  }),
} satisfies Record<string, Field>

export type ConfigurationName = keyof typeof configurationFields
export const CONFIGURATION_NAMES = keysIn(configurationFields)
export const DISABLE_CHECKING: ConfigurationName = 'auth/disable-mobile-permissions-checking'

export const configurationName = ({ namespace, key }: { namespace: string; key: string }) =>
  CONFIGURATION_NAMES.find((name) => name === `${namespace}/${key}`)

export const FindConfiguration = z.object({
  namespace: z.string('validation.wrongType').max(100, 'validation.tooLong'),
  key: z.string('validation.wrongType').max(100, 'validation.tooLong'),
})

export const SaveConfiguration = z.object({
  id: Saved.shape.id,
  last_modified: Saved.shape.last_modified.unwrap().unwrap(),
  value: z.union([z.string(), z.boolean()], 'validation.wrongType').nullable(),
  /** Typed to confirm that phones skip permission checks. */
  confirmation: z.string('validation.wrongType').max(300, 'validation.tooLong').optional(),
})

/** Several at once, all of them or none. */
export const SaveConfigurations = z.object({
  settings: z
    .array(SaveConfiguration.omit({ confirmation: true }), 'validation.wrongType')
    .min(1, 'validation.required')
    .max(100, 'validation.tooLong'),
  confirmation: SaveConfiguration.shape.confirmation,
})

/** As phones keep it: a text, read by its data type. */
export const storedValue = (value: string | boolean | null) => (value === null ? '' : String(value))
export const readValue = (value: string, dataType: string) =>
  dataType === 'boolean' ? value === 'true' : value || null

// CLDR, which browsers list from, keeps names that the IANA list has replaced
const RENAMED: Record<string, string> = {
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Europe/Kiev': 'Europe/Kyiv',
}

/** The zones to choose from, by their names of today. */
export const timeZones = () => {
  const names = Intl.supportedValuesOf('timeZone').map((name) => RENAMED[name] ?? name)
  return [...new Set([...names, 'UTC'])].toSorted((a, b) => a.localeCompare(b, 'en'))
}
