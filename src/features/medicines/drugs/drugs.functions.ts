import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as files from './catalogue-file.server'
import * as drugs from './drugs.server'

const post = { method: 'POST' } as const

export const getDrug = createServerFn()
  .validator(inputOf(drugs.getDrug))
  .handler(serve(drugs.getDrug))
export const listDrugs = createServerFn()
  .validator(inputOf(drugs.listDrugs))
  .handler(serve(drugs.listDrugs))
export const searchDrugs = createServerFn()
  .validator(inputOf(drugs.searchDrugs))
  .handler(serve(drugs.searchDrugs))
export const scanDrug = createServerFn()
  .validator(inputOf(drugs.scanDrug))
  .handler(serve(drugs.scanDrug))
export const getDrugStats = createServerFn()
  .validator(inputOf(drugs.getDrugStats))
  .handler(serve(drugs.getDrugStats))
export const saveDrug = createServerFn(post)
  .validator(inputOf(drugs.saveDrug))
  .handler(serve(drugs.saveDrug))
export const setDrugActive = createServerFn(post)
  .validator(inputOf(drugs.setDrugActive))
  .handler(serve(drugs.setDrugActive))
export const deleteDrug = createServerFn(post)
  .validator(inputOf(drugs.deleteDrug))
  .handler(serve(drugs.deleteDrug))
export const exportDrugs = createServerFn()
  .validator(inputOf(files.exportDrugs))
  .handler(serve(files.exportDrugs))
export const importDrugs = createServerFn(post)
  .validator(inputOf(files.importDrugs))
  .handler(serve(files.importDrugs))
