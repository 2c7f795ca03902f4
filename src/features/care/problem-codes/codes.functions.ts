import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as codes from './codes.server'

export const searchCodes = createServerFn()
  .validator(inputOf(codes.searchCodes))
  .handler(serve(codes.searchCodes))
