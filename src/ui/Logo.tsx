/**
 * Two hands under a heartbeat: sanad is Arabic for support. Drawn, so that it needs no request and
 * follows the theme.
 */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden focusable="false">
      <rect width="32" height="32" rx="9" fill="var(--mantine-color-sanad-7)" />
      <path
        d="M6 14.5h5l2.5-6 4.5 11 2.5-5H26"
        stroke="#fff"
        strokeWidth="2.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <path
        d="M7 21.5c5.5 4.6 12.5 4.6 18 0"
        stroke="#7dcfc2"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
    </svg>
  )
}
