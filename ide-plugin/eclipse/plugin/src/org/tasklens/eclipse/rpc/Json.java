// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.rpc;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Helpers for JSON. Getters return a default if a member is absent, null or of another type. */
public final class Json {
  private static final Gson GSON =
      new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

  private Json() {}

  /** {@code of("a", 1, "b", "x")}: values are strings, numbers, booleans, lists, JSON or null. */
  public static JsonObject of(Object... pairs) {
    JsonObject object = new JsonObject();
    for (int i = 0; i < pairs.length; i += 2) object.add((String) pairs[i], element(pairs[i + 1]));
    return object;
  }

  public static JsonElement element(Object value) {
    if (value == null) return JsonNull.INSTANCE;
    if (value instanceof JsonElement element) return element;
    if (value instanceof Map<?, ?> map) {
      JsonObject object = new JsonObject();
      map.forEach((key, member) -> object.add(String.valueOf(key), element(member)));
      return object;
    }
    if (value instanceof Iterable<?> list) {
      JsonArray array = new JsonArray();
      for (Object one : list) array.add(element(one));
      return array;
    }
    return GSON.toJsonTree(value);
  }

  public static String write(JsonElement element) {
    return GSON.toJson(element);
  }

  private static JsonElement member(JsonObject object, String name) {
    JsonElement member = object == null ? null : object.get(name);
    return member == null || member.isJsonNull() ? null : member;
  }

  public static String text(JsonObject object, String name) {
    JsonElement member = member(object, name);
    return member != null && member.isJsonPrimitive() ? member.getAsString() : "";
  }

  public static long number(JsonObject object, String name, long fallback) {
    JsonElement member = member(object, name);
    return isNumber(member) ? member.getAsLong() : fallback;
  }

  public static double real(JsonObject object, String name, double fallback) {
    JsonElement member = member(object, name);
    return isNumber(member) ? member.getAsDouble() : fallback;
  }

  private static boolean isNumber(JsonElement element) {
    return element != null && element.isJsonPrimitive() && element.getAsJsonPrimitive().isNumber();
  }

  public static boolean flag(JsonObject object, String name, boolean fallback) {
    JsonElement member = member(object, name);
    return member != null && member.isJsonPrimitive() && member.getAsJsonPrimitive().isBoolean()
        ? member.getAsBoolean()
        : fallback;
  }

  /** The member, or null if it is not an object. */
  public static JsonObject object(JsonObject object, String name) {
    JsonElement member = member(object, name);
    return member != null && member.isJsonObject() ? member.getAsJsonObject() : null;
  }

  /** The member, or an empty array. */
  public static JsonArray array(JsonObject object, String name) {
    JsonElement member = member(object, name);
    return member != null && member.isJsonArray() ? member.getAsJsonArray() : new JsonArray();
  }

  /** The objects of an array; other elements are skipped. */
  public static List<JsonObject> objects(JsonElement array) {
    List<JsonObject> found = new ArrayList<>();
    if (array != null && array.isJsonArray())
      for (JsonElement one : array.getAsJsonArray())
        if (one.isJsonObject()) found.add(one.getAsJsonObject());
    return found;
  }

  public static List<JsonObject> objects(JsonObject object, String name) {
    return objects(array(object, name));
  }

  public static List<String> texts(JsonObject object, String name) {
    List<String> found = new ArrayList<>();
    for (JsonElement one : array(object, name))
      if (one.isJsonPrimitive())
        found.add(one.getAsString());
    return found;
  }
}
