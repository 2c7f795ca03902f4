import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as batches from './batches.server'
import * as clinicBatches from './clinic-batches.server'
import * as inventory from './inventory.server'
import * as ledger from './ledger/ledger.server'
import * as shortfalls from './changes/shortfalls.server'
import * as changes from './changes/stock-changes.server'

const post = { method: 'POST' } as const

export const listInventory = createServerFn()
  .validator(inputOf(inventory.listInventory))
  .handler(serve(inventory.listInventory))
export const inventoryAttention = createServerFn()
  .validator(inputOf(inventory.inventoryAttention))
  .handler(serve(inventory.inventoryAttention))
export const exportInventory = createServerFn()
  .validator(inputOf(inventory.exportInventory))
  .handler(serve(inventory.exportInventory))

export const listBatches = createServerFn()
  .validator(inputOf(batches.listBatches))
  .handler(serve(batches.listBatches))
export const listClinicBatches = createServerFn()
  .validator(inputOf(clinicBatches.listClinicBatches))
  .handler(serve(clinicBatches.listClinicBatches))
export const createBatch = createServerFn(post)
  .validator(inputOf(batches.createBatch))
  .handler(serve(batches.createBatch))
export const saveBatch = createServerFn(post)
  .validator(inputOf(batches.saveBatch))
  .handler(serve(batches.saveBatch))
export const quarantineBatch = createServerFn(post)
  .validator(inputOf(batches.quarantineBatch))
  .handler(serve(batches.quarantineBatch))

export const countStock = createServerFn(post)
  .validator(inputOf(changes.countStock))
  .handler(serve(changes.countStock))
export const saveClinicInventory = createServerFn(post)
  .validator(inputOf(changes.saveClinicInventory))
  .handler(serve(changes.saveClinicInventory))
export const writeOffStock = createServerFn(post)
  .validator(inputOf(changes.writeOffStock))
  .handler(serve(changes.writeOffStock))
export const transferStock = createServerFn(post)
  .validator(inputOf(changes.transferStock))
  .handler(serve(changes.transferStock))

export const listLedger = createServerFn()
  .validator(inputOf(ledger.listLedger))
  .handler(serve(ledger.listLedger))

export const listShortfalls = createServerFn()
  .validator(inputOf(shortfalls.listShortfalls))
  .handler(serve(shortfalls.listShortfalls))
export const settleShortfall = createServerFn(post)
  .validator(inputOf(shortfalls.settleShortfall))
  .handler(serve(shortfalls.settleShortfall))
