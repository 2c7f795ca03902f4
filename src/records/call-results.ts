export const CALL_RESULTS = [
  'agreed_to_visit',
  'remind_to_call_later',
  'removed_from_overdue_list',
] as const
export type CallResultCode = (typeof CALL_RESULTS)[number]
