import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as pregnancies from './pregnancies.server'

const post = { method: 'POST' } as const

export const listPregnancies = createServerFn()
  .validator(inputOf(pregnancies.listPregnancies))
  .handler(serve(pregnancies.listPregnancies))
export const recordPregnancy = createServerFn(post)
  .validator(inputOf(pregnancies.recordPregnancy))
  .handler(serve(pregnancies.recordPregnancy))
export const deletePregnancy = createServerFn(post)
  .validator(inputOf(pregnancies.deletePregnancy))
  .handler(serve(pregnancies.deletePregnancy))
