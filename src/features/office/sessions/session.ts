import * as z from 'zod'
import { email, password, reference, fieldsSchema, select, text } from '~/fields/field'
import { latinDigits } from '~/fields/typed'
import { invalid, type Message } from '~/shared/errors'
import { LANGUAGES } from '~/shared/language'
import type { MessageKey } from '~/shared/language'
import { PERMISSIONS, ROLES } from '~/shared/permissions'
import { THEMES } from '~/shared/viewer'

/**
 * A wrong password or code, and the field for the message. A value, not an error: the counted guess
 * must stay written.
 */
export type Refused = { ok: false; fields: Record<string, Message> }
export const refusedField = (field: string, key: MessageKey): Refused => ({
  ok: false,
  fields: { [field]: { key } },
})

/** For a form: the outcome, or the error that it shows beside its fields. */
export function accepted<R extends { ok: true }>(outcome: R | Refused): R {
  if (outcome.ok) return outcome
  throw invalid(outcome.fields)
}

/** The current password; the rule for new ones does not apply. */
const anyPassword = password('sessions.password', { min: 1 })
const newPassword = password('sessions.newPassword', {
  min: 8,
  hint: 'sessions.passwordHint',
})

// An Arabic keyboard types its own digits, and apps show the code with a gap in it.
const code = text('sessions.code', { max: 40 })
const codeField = {
  ...code,
  schema: code.schema.transform((typed) => latinDigits(typed).replaceAll(/[\s-]/g, '')),
}

export const signInFields = { email: email('sessions.email'), password: anyPassword }
export const codeFields = { code: codeField }
export const confirmFields = { password: anyPassword }
export const confirmWithCodeFields = { password: anyPassword, code: codeField }
/** What users call a phone. */
const phoneName = text('appPasswords.name', { max: 60, hint: 'appPasswords.nameHint' })
export const renameFields = { name: phoneName }
export const appPasswordFields = { name: phoneName, password: anyPassword }
export const replaceFields = {
  newPassword,
  repeated: password('sessions.repeatedPassword', { min: 1 }),
}
export const passwordFields = {
  password: password('sessions.currentPassword', { min: 1 }),
  newPassword,
}

export const SignIn = z.object({
  email: signInFields.email.schema,
  password: anyPassword.schema,
  /** From the authenticator app, or a recovery code, where a second factor is on. */
  code: codeField.schema.nullish(),
})
export const Code = z.object({ code: codeField.schema })
export const Confirm = z.object({ password: anyPassword.schema })
/** Without the code, the second factor stays on and the form asks for it. */
export const ConfirmWithCode = Confirm.extend({ code: codeField.schema.nullish() })
export const NewPassword = z.object({ newPassword: newPassword.schema })
export const UnlockInput = z.union([Confirm, Code], { error: 'validation.required' })
export const NewAppPassword = fieldsSchema(appPasswordFields)
export const AppPasswordId = z.object({ id: z.uuid('validation.id') })
export const RenamedAppPassword = AppPasswordId.extend(fieldsSchema(renameFields).shape)
/** A browser is asked for the password. */
export const EndOthers = z.object({ password: anyPassword.schema.nullish() }).nullish()
export const EndOne = z.object({
  id: z.uuid('validation.id'),
  password: anyPassword.schema.nullish(),
})
export const PersonId = z.object({ id: z.uuid('validation.id') })

export const setupFields = {
  code: text('setup.code', { max: 40, hint: 'setup.codeHint' }),
  clinic: text('setup.clinic', { hint: 'setup.clinicHint' }),
  name: text('sessions.name'),
  email: email('sessions.email'),
  newPassword,
}

/** After the restore of a backup without credentials; the users are listed once the code is correct. */
export const restoredFields = {
  code: setupFields.code,
  userId: reference('setup.person'),
  newPassword,
}

export const profileFields = {
  name: text('sessions.name'),
  language: select(
    'shell.language',
    LANGUAGES,
    (language): MessageKey => `account.language_${language}`,
  ),
  theme: select('shell.theme', THEMES, (theme): MessageKey => `shell.${theme}`),
}
export const PreferencesInput = z.object({
  language: profileFields.language.schema.optional(),
  theme: profileFields.theme.schema.optional(),
})

export const HasRole = z.object({ role: z.enum(ROLES, 'validation.option') })
export const CheckPermissions = z.object({
  clinicId: z.uuid('validation.id'),
  permissions: z
    .array(z.enum(PERMISSIONS, 'validation.option'), 'validation.wrongType')
    .min(1, 'validation.required')
    .max(50, 'validation.tooMany'),
})

// The first that fits: Edge and Opera also call themselves Chrome, and Chrome calls itself Safari.
const browsers = {
  Edge: /Edg/,
  Opera: /OPR/,
  'Samsung Internet': /SamsungBrowser/,
  Firefox: /Firefox|FxiOS/,
  Chrome: /Chrome|CriOS/,
  Safari: /Safari/,
}
const systems = {
  Android: /Android/,
  iOS: /iPhone|iPad/,
  ChromeOS: /CrOS/,
  Windows: /Windows/,
  macOS: /Macintosh/,
  Linux: /Linux/,
}
const named = (names: Record<string, RegExp>, agent: string) =>
  Object.keys(names).find((name) => names[name]!.test(agent)) ?? null

/** The browser and the system by name, as far as the header says. */
export const parseUserAgent = (userAgent: string) => ({
  browser: named(browsers, userAgent),
  system: named(systems, userAgent),
})
