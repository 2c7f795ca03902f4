import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as overrides from './overrides.server'
import * as rules from './rules.server'

export const listOverrides = createServerFn()
  .validator(inputOf(overrides.listOverrides))
  .handler(serve(overrides.listOverrides))
export const reviewOverride = createServerFn({ method: 'POST' })
  .validator(inputOf(overrides.reviewOverride))
  .handler(serve(overrides.reviewOverride))
export const unseenWarnings = createServerFn()
  .validator(inputOf(overrides.unseenWarnings))
  .handler(serve(overrides.unseenWarnings))
export const listRules = createServerFn()
  .validator(inputOf(rules.listRules))
  .handler(serve(rules.listRules))
export const switchRule = createServerFn({ method: 'POST' })
  .validator(inputOf(rules.switchRule))
  .handler(serve(rules.switchRule))
