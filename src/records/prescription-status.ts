export const PRESCRIPTION_STATUSES = [
  'pending',
  'prepared',
  'picked-up',
  'not-picked-up',
  'partially-picked-up',
  'cancelled',
  'other',
] as const
export type PrescriptionStatus = (typeof PRESCRIPTION_STATUSES)[number]
export const PRIORITIES = ['low', 'normal', 'high', 'emergency'] as const
export type Priority = (typeof PRIORITIES)[number]
