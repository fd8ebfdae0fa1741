/** A list of callbacks. */
export interface Signal<T> {
  emit(value: T): void;
  /** Returns a function that stops the callback. */
  on(callback: (value: T) => void): () => void;
}

export function createSignal<T>(): Signal<T> {
  const callbacks = new Set<(value: T) => void>();
  return {
    emit: (value) => {
      for (const callback of callbacks) callback(value);
    },
    on: (callback) => {
      callbacks.add(callback);
      return () => void callbacks.delete(callback);
    },
  };
}
