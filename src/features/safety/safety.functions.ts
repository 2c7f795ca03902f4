import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as overrides from './overrides.server'

export const listOverrides = createServerFn()
  .validator(inputOf(overrides.listOverrides))
  .handler(serve(overrides.listOverrides))
export const reviewOverride = createServerFn({ method: 'POST' })
  .validator(inputOf(overrides.reviewOverride))
  .handler(serve(overrides.reviewOverride))
