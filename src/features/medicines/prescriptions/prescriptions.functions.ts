import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as listing from './listing.server'
import * as prescriptions from './prescriptions.server'
import * as check from './check/safety-check.server'
import * as status from './status.server'

const post = { method: 'POST' } as const

export const listPrescriptions = createServerFn()
  .validator(inputOf(listing.listPrescriptions))
  .handler(serve(listing.listPrescriptions))
export const listPrescriptionDetails = createServerFn()
  .validator(inputOf(listing.listPrescriptionDetails))
  .handler(serve(listing.listPrescriptionDetails))
/** By POST: the input can be long. */
export const getPrescription = createServerFn(post)
  .validator(inputOf(prescriptions.getPrescription))
  .handler(serve(prescriptions.getPrescription))
export const savePrescription = createServerFn(post)
  .validator(inputOf(prescriptions.savePrescription))
  .handler(serve(prescriptions.savePrescription))
export const setPrescriptionStatus = createServerFn(post)
  .validator(inputOf(status.setPrescriptionStatus))
  .handler(serve(status.setPrescriptionStatus))
export const deletePrescription = createServerFn(post)
  .validator(inputOf(prescriptions.deletePrescription))
  .handler(serve(prescriptions.deletePrescription))
export const checkDrugs = createServerFn()
  .validator(inputOf(check.checkDrugs))
  .handler(serve(check.checkDrugs))
