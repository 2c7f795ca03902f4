import { record } from './record'

/**
 * One setting a row; which settings exist and what is valid: `features/office/settings/configuration.ts`.
 */
export const settingRecord = record('app_config', {
  namespace: { device: 'requiredText' },
  key: { device: 'requiredText' },
  value: { device: 'requiredText' },
  data_type: { device: 'requiredText' },
  display_name: { device: 'text?' },
  last_modified_by: { device: 'id?' },
})
