import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as trust from './trust.server'

export const getAuthority = createServerFn()
  .validator(inputOf(trust.getAuthority))
  .handler(serve(trust.getAuthority))
