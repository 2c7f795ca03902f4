import type { Kysely } from 'kysely'
import { toString as qrCode } from 'qrcode'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import { type Context, mutation, NoInput, query } from '~/server/operation'
import { saveRecord } from '~/server/record'
import { isSuperAdmin } from '~/shared/actor'
import { AppError, invalid, notFound } from '~/shared/errors'
import { LANGUAGES } from '~/shared/language'
import { firstErrors } from '~/shared/problems'
import { sentence } from '~/shared/sentence'
import {
  CONFIGURATION_NAMES,
  configurationFields,
  DISABLE_CHECKING,
  FindConfiguration,
  configurationName,
  readValue,
  SaveConfiguration,
  SaveConfigurations,
  storedValue,
} from './configuration'

type Setting = Omit<z.output<typeof SaveConfiguration>, 'confirmation'>
export type Configuration = Awaited<ReturnType<typeof listConfigurations>>[number]

/** Everything that can be set, in the order of the screen, with who changed it last. */
export const listConfigurations = query('configurations.list', {
  reads: ['app_config'],
  looksUp: ['users'],
  input: NoInput,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run({ db }) {
    const rows = await configurations(db).limit(1000).execute()
    const order = (row: (typeof rows)[number]) =>
      CONFIGURATION_NAMES.indexOf(configurationName(row)!)
    return rows
      .filter((row) => configurationName(row))
      .toSorted((a, b) => order(a) - order(b))
      .map((row) => ({ ...row, value: readValue(row.value, row.data_type) }))
  },
})

export const getConfiguration = query('configurations.get', {
  input: FindConfiguration,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run({ db }, { namespace, key }) {
    const row = await configurations(db)
      .where('namespace', '=', namespace)
      .where('key', '=', key)
      .executeTakeFirst()
    if (!row) throw notFound('settings.notFound')
    return { ...row, value: readValue(row.value, row.data_type) }
  },
})

/**
 * Saves one setting. To let phones skip permission checks, `confirmation` must hold the sentence
 * for it, in any language.
 */
export const saveConfiguration = mutation('configurations.save', {
  input: SaveConfiguration,
  allow: ({ actor }) => isSuperAdmin(actor),
  run: (ctx, { confirmation, ...setting }) => save(ctx, setting, confirmation),
})

/** Saves several settings, all or none. Errors are at `settings.0.value`. */
export const saveConfigurations = mutation('configurations.saveAll', {
  input: SaveConfigurations,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run(ctx, { settings, confirmation }) {
    const saved = []
    for (const [at, setting] of settings.entries()) {
      saved.push(
        await save(ctx, setting, confirmation).catch((error: unknown) => {
          if (!(error instanceof AppError)) throw error
          const fields = Object.entries(error.fields).map(([name, text]) => [
            `settings.${at}.${name}`,
            text,
          ])
          throw new AppError(error.code, error.text, Object.fromEntries(fields))
        }),
      )
    }
    return saved
  },
})

async function save(
  ctx: Context,
  { id, last_modified, value }: Setting,
  confirmation: string | undefined,
) {
  const row = await configurations(ctx.db).where('app_config.id', '=', id).executeTakeFirst()
  const name = row && configurationName(row)
  if (!name) throw notFound('settings.notFound')
  const parsed = configurationFields[name].schema.safeParse(value)
  if (!parsed.success)
    throw invalid({ value: firstErrors(parsed.error)[''] ?? { key: 'validation.wrongType' } })
  if (
    name === DISABLE_CHECKING &&
    parsed.data === true &&
    row.value !== 'true' &&
    !isMeant(confirmation)
  ) {
    throw invalid({ value: { key: 'settings.disableUnconfirmed' } })
  }
  const saved = { id, last_modified, value: storedValue(parsed.data) }
  return saveRecord(ctx, 'app_config', saved, 'settings.notFound')
}

const STEPS = [
  'settings.phonesStep1',
  'settings.phonesStep2',
  'settings.phonesStep3',
  'settings.phonesStep4',
] as const

/**
 * What the phones' app scans: the public address as a QR code (SVG), and how to connect a phone in
 * every language. Null until there is a public address.
 */
export const phoneCode = query('configurations.phoneCode', {
  reads: ['app_config'],
  looksUp: ['users'],
  input: NoInput,
  allow: ({ actor }) => isSuperAdmin(actor),
  async run({ db }) {
    const { value } = await configurations(db)
      .where('namespace', '=', 'system')
      .where('key', '=', 'public-origin')
      .executeTakeFirstOrThrow()
    if (!value) return null
    const sheet = LANGUAGES.map((language) => ({
      language,
      title: sentence(language, { key: 'settings.phonesSteps' }),
      steps: STEPS.map((key) => sentence(language, { key })),
    }))
    return { origin: value, svg: await qrCode(value, { type: 'svg', margin: 2 }), sheet }
  },
})

const configurations = (db: Kysely<DB>) =>
  db
    .selectFrom('app_config')
    .leftJoin('users', 'users.id', 'app_config.last_modified_by')
    .select([
      'app_config.id',
      'namespace',
      'key',
      'value',
      'data_type',
      'display_name',
      'app_config.last_modified',
    ])
    .select('users.name as last_modified_by_name')
    .where('app_config.is_deleted', '=', false)

const isMeant = (typed = '') =>
  LANGUAGES.some(
    (language) => sentence(language, { key: 'settings.disableSentence' }) === typed.trim(),
  )
