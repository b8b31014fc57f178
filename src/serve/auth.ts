import { createHash, timingSafeEqual } from "node:crypto";

/** Whether an `authorization` header holds what is asked for. */
export type TokenCheck = (authorization: string | undefined) => boolean;

/**
 * Checks for `Bearer <token>`. Digests are compared, in constant time, so that how long it takes says nothing about the
 * token, its length included.
 *
 * @param token undefined: everybody may come in
 */
export function tokenCheck(token: string | undefined): TokenCheck {
  if (token === undefined) return () => true;
  const expected = digest(token);
  return (authorization) => {
    const given = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    return timingSafeEqual(digest(given ?? ""), expected) && given !== undefined;
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
