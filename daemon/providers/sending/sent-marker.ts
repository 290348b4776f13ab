import type { Dispatcher } from "undici";

/**
 * Tells when a request is about to be written to its connection: until then the provider surely has not got it, however
 * the call fails (DNS, refused, TLS, our own guard, a deadline while connecting).
 */
export function markSending(onSending: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(
      options,
      new Proxy(handler, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== "function") return member;
          if (name !== "onRequestStart" && name !== "onConnect") return member.bind(target) as unknown;
          return (...args: unknown[]) => {
            onSending();
            return Reflect.apply(member, target, args) as unknown;
          };
        },
      }),
    );
}
