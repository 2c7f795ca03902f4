import type { Side } from './world'

/**
 * As in samples.ts: settings, the dashboard, the demo's people. The first row of `app_config` is
 * the same on every server.
 */
export const homeSamples: Record<string, (side: Side) => unknown> = {
  'summary.stats': () => ({}),
  'summary.day': () => ({}),
  'summary.stock': () => ({}),
  'summary.trends': () => ({}),
  'summary.care': () => ({}),
  'checklist.get': () => ({}),
  'checklist.dismiss': () => ({ notice: 'first-day' }),
  'checklist.recall': () => ({ notice: 'first-day' }),

  'users.export': () => ({ format: 'csv', language: 'en' }),

  'people.list': () => ({}),
  'demo.time': () => ({}),
  'demo.greet': () => ({ name: 'Amal' }),

  'configurations.list': () => ({}),
  'configurations.get': () => ({ namespace: 'system', key: 'time-zone' }),
  'configurations.phoneCode': () => ({}),
  'configurations.save': () => ({
    id: '018f2f00-0000-7000-8000-000000000001',
    last_modified: '2020-01-01T00:00:00Z',
    value: 'Hillside Health',
  }),
  'configurations.saveAll': () => ({
    settings: [
      {
        id: '018f2f00-0000-7000-8000-000000000001',
        last_modified: '2020-01-01T00:00:00Z',
        value: 'Hillside Health',
      },
    ],
  }),
}
