import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as duplicates from '../duplicates/duplicates.server'
import * as deletions from '../patient-deletions.server'
import * as search from './search.server'

const post = { method: 'POST' } as const

export const listPatients = createServerFn()
  .validator(inputOf(search.listPatients))
  .handler(serve(search.listPatients))
export const searchPatients = createServerFn()
  .validator(inputOf(search.searchPatients))
  .handler(serve(search.searchPatients))
/** By POST, because personal data does not belong in URLs and their logs. */
export const findDuplicates = createServerFn(post)
  .validator(inputOf(duplicates.findDuplicates))
  .handler(serve(duplicates.findDuplicates))
export const linkPatient = createServerFn(post)
  .validator(inputOf(duplicates.linkPatient))
  .handler(serve(duplicates.linkPatient))
export const unlinkPatient = createServerFn(post)
  .validator(inputOf(duplicates.unlinkPatient))
  .handler(serve(duplicates.unlinkPatient))
export const deletePatient = createServerFn(post)
  .validator(inputOf(deletions.deletePatient))
  .handler(serve(deletions.deletePatient))
export const deletePatients = createServerFn(post)
  .validator(inputOf(deletions.deletePatients))
  .handler(serve(deletions.deletePatients))
