import { createServerFn } from '@tanstack/react-start'
import { getRequest } from '@tanstack/react-start/server'
import { db } from '~/db/db.server'
import { env } from '~/server/env'
import { typedInput, serve } from '~/server/serve.server'
import { currentSettings } from '~/server/settings.server'
import type { Viewer } from '~/shared/viewer'
import { clinicTimeZone } from '~/shared/zone'
import * as account from './account.server'
import { forgetCookie, keepPreferences, readPreferences, signing } from './cookie.server'
import * as sessions from './sessions.server'
import * as setup from './setup/setup.server'
import * as twoFactor from './two-factor/two-factor.server'

const post = { method: 'POST' } as const

/** The viewer, with language and theme: the user's own, else those last used in this browser. */
export const getViewer = createServerFn().handler(async (): Promise<Viewer> => {
  const { state, actor, theme } = await serve(sessions.currentOf)({ data: undefined })
  const { organization } = await currentSettings(db)
  // an archived clinic still has records; a deleted one never had any
  const clinics = await db
    .selectFrom('clinics')
    .select('id')
    .where('is_deleted', '=', false)
    .limit(2)
    .execute()
  const about = {
    organization,
    timeZone: clinicTimeZone(),
    hasOneClinic: clinics.length === 1,
    isInsecure: env().insecureHttp,
  }
  if (state === 'open') return { actor, language: actor.language, theme, ...about }
  return { actor: null, ...readPreferences(getRequest()), ...about }
})

/** Stores the chosen language and theme: in this browser, and for the signed-in user. */
export const savePreferences = createServerFn(post)
  .validator(typedInput(account.saveOwnPreferences))
  .handler(async ({ data }) => {
    const { state } = await serve(sessions.currentOf)({ data: undefined })
    if (state === 'open') await serve(account.saveOwnPreferences)({ data })
    keepPreferences(data)
  })

export const signOut = createServerFn(post).handler(async () => {
  await serve(sessions.signOutSession)({ data: undefined })
  forgetCookie()
})

export const unlock = createServerFn(post)
  .validator(typedInput(sessions.unlockSession))
  .handler(signing(sessions.unlockSession))

export const completeSetup = createServerFn(post)
  .validator(typedInput(setup.completeFirstSetup))
  .handler(signing(setup.completeFirstSetup))
export const completeRestore = createServerFn(post)
  .validator(typedInput(setup.completeServerRestore))
  .handler(signing(setup.completeServerRestore))

export const saveProfile = createServerFn(post)
  .validator(typedInput(account.saveOwnProfile))
  .handler(async ({ data }) => {
    const saved = await serve(account.saveOwnProfile)({ data })
    keepPreferences(data)
    return saved
  })
export const changePassword = createServerFn(post)
  .validator(typedInput(account.changeOwnPassword))
  .handler(signing(account.changeOwnPassword))

export const enableTwoFactor = createServerFn(post)
  .validator(typedInput(twoFactor.enableOwnTwoFactor))
  .handler(signing(twoFactor.enableOwnTwoFactor))
export const disableTwoFactor = createServerFn(post)
  .validator(typedInput(twoFactor.disableOwnTwoFactor))
  .handler(signing(twoFactor.disableOwnTwoFactor))
